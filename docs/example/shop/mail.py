"""Mail to customers."""

OUTBOX = []


def send(address, text):
    """Puts a message into the outbox."""
    if "@" not in address:
        raise ValueError(f"not an address: {address}")
    OUTBOX.append((address, text))
