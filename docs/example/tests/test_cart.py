from shop.cart import Cart


def test_a_code_lowers_the_total():
    cart = Cart(code="SPRING")
    cart.add("tea", 500, 2)
    assert cart.total() == 900


def test_without_a_code_the_total_is_the_subtotal():
    cart = Cart()
    cart.add("tea", 500)
    assert cart.total() == 500
