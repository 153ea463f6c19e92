"""The cart: what a customer is about to buy."""

from shop.discount import discount_for


class Cart:
    """Items and a discount code."""

    def __init__(self, code=None):
        self.items = []
        self.code = code

    def add(self, name, price, count=1):
        """Puts an item into the cart; the price is in cents."""
        self.items.append((name, price, count))

    def subtotal(self):
        """The sum of all items, without a discount."""
        return sum(price * count for _, price, count in self.items)

    def total(self):
        """What the customer pays: the subtotal less the discount."""
        return self.subtotal() - discount_for(self.code, self.subtotal())
