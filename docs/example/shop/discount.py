"""Discount codes and what they are worth."""

RATES = {"SPRING": 10, "FRIENDS": 20}


def discount_for(code, subtotal):
    """The discount in cents that a code gives on a subtotal."""
    if code is None:
        return 0
    return subtotal * RATES[code] // 100


def is_known(code):
    """Whether there is such a discount code."""
    return code in RATES
