"""Orders: a cart that was paid."""

from shop.mail import send


class OrderBook:
    """All orders, by number."""

    def __init__(self):
        self.orders = {}

    def place(self, cart, address):
        """Places an order for a cart and mails a receipt; returns its number."""
        number = len(self.orders) + 1
        self.orders[number] = (cart.items, cart.total(), address)
        send(address, f"Order {number}: {cart.total()} cents")
        return number

    def cancel(self, number):
        """Cancels an order, if it exists."""
        return self.orders.pop(number, None) is not None
