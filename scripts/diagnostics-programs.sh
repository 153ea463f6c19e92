# The small broken programs that scripts/record-diagnostics runs its tools on. Sourced, not run.
#
# write_programs DIR writes them below DIR.

write_programs() {
    local dir=$1
    rm -rf "$dir"
    mkdir -p "$dir"
    (
        cd "$dir"
        rust_programs
        python_programs
        web_programs
        c_programs
        java_programs
        other_programs
    )
}

rust_programs() {
    mkdir -p rust/src
    cat >rust/Cargo.toml <<'END'
[package]
name = "shop"
version = "0.1.0"
edition = "2021"

[workspace]
END
    cat >rust/src/main.rs <<'END'
mod cart;

fn main() {
    let unused = 1;
    let total: u32 = cart::total(&[1, 2]);
    println!("{total}");
}
END
    cat >rust/src/cart.rs <<'END'
pub fn total(prices: &[u64]) -> u64 {
    let sum: u64 = prices.iter().sum();
    let name: &str = sum;
    sum
}
END
    cat >rust/warns.rs <<'END'
macro_rules! discard {
    ($value:expr) => {
        let discarded = $value;
    };
}

fn never_called() {}

fn main() {
    discard!(1);
    let later: u32;
    println!("{}", later);
}
END
    cat >rust/panics.rs <<'END'
mod cart {
    pub fn price(prices: &[u64], at: usize) -> u64 {
        prices[at]
    }
}

fn main() {
    println!("{}", cart::price(&[], std::env::args().count()));
}
END
}

python_programs() {
    mkdir -p python/shop python/tests
    touch python/shop/__init__.py
    cat >python/shop/cart.py <<'END'
import os


def total(prices: list[int]) -> int:
    return sum(prices) + "1"


def average(prices):
    return undefined_total(prices) / len(prices)
END
    cat >python/shop/broken.py <<'END'
def price(
    return 1
END
    cat >python/crash.py <<'END'
from shop import cart


class Shop:
    def open(self):
        try:
            cart.total([1, 2])
        except TypeError as error:
            raise RuntimeError("cannot open") from error


Shop().open()
END
    cat >python/tests/test_cart.py <<'END'
from shop.cart import average, total


def test_total():
    assert total([]) == 0


def test_average():
    assert average([2]) == 2


def test_names():
    names = ["a", "b"]
    assert names == ["a", "c"]


def test_passes():
    assert True
END
    cat >python/pyproject.toml <<'END'
[project]
name = "shop"
version = "0.1.0"

[tool.ruff.lint]
select = ["E", "F", "W"]
END
}

web_programs() {
    mkdir -p web/src
    cat >web/src/cart.ts <<'END'
export interface Item {
  name: string;
  price: number;
}

export function total(items: Item[]): string {
  let sum = 0;
  for (const item of items) sum += item.cost;
  return sum;
}
END
    cat >web/src/main.ts <<'END'
import { total } from "./cart";

const answer: number = total([{ name: "pen" }]);
missing(answer);
END
    cat >web/src/shop.js <<'END'
export function open(items) {
  const unused = 1;
  if (items == null) return missing();
  return items;
}
END
    cat >web/src/broken.js <<'END'
export function close( {
  return 1;
END
    cat >web/eslint.config.mjs <<'END'
export default [
  { rules: { "no-unused-vars": "warn", "no-undef": "error", eqeqeq: ["error", "always"] } },
];
END
    echo '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "es2022", "moduleResolution": "bundler", "noEmit": true }, "include": ["src/*.ts"] }' \
        >web/tsconfig.json
    cat >web/crash.js <<'END'
class Shop {
  open(items) {
    return items.map((item) => this.price(item));
  }
  price(item) {
    return item.price.value;
  }
}

async function main() {
  await null;
  new Shop().open([{}]);
}

main();
END
    cat >web/cart.test.mjs <<'END'
import assert from "node:assert";
import { test } from "node:test";

test("the total adds up", () => {
  assert.strictEqual(1 + 1, 3);
});

test("passes", () => {});
END
}

c_programs() {
    mkdir -p c/include
    cat >c/include/cart.h <<'END'
#define LAST(items) (items)->last.missing
struct cart { int count; };
int total(struct cart *cart);
END
    cat >c/cart.c <<'END'
#include "include/cart.h"

int total(struct cart *cart) {
    int unused;
    const char *name = cart->count;
    return cart->price + LAST(cart);
}

int missing_return(void) {
    undeclared(1)
}
END
}

java_programs() {
    mkdir -p java/com/acme/shop
    cat >java/com/acme/shop/Shop.java <<'END'
package com.acme.shop;

import java.util.List;

public class Shop {
    static class Till {
        int price(String name) {
            return Integer.parseInt(name);
        }
    }

    void open(List<String> names) {
        try {
            names.forEach(name -> new Till().price(name));
        } catch (NumberFormatException error) {
            throw new IllegalStateException("cannot open", error);
        }
    }

    public static void main(String[] arguments) {
        new Shop().open(List.of("1", "pen"));
    }
}
END
}

other_programs() {
    mkdir -p go/cart ruby/lib php/src csharp
    cat >go/go.mod <<'END'
module example.com/shop

go 1.19
END
    cat >go/main.go <<'END'
package main

import "example.com/shop/cart"

func main() {
	done := make(chan bool)
	go func() {
		var shop cart.Cart
		shop.Price(3)
		done <- true
	}()
	<-done
}
END
    cat >go/cart/cart.go <<'END'
package cart

type Cart struct{ prices []int }

//go:noinline
func (c *Cart) Price(at int) int {
	return c.prices[at]
}
END
    cat >ruby/lib/cart.rb <<'END'
class Cart
  def total(items)
    items.map { |item| price(item) }.sum
  end

  def price(item)
    Integer(item)
  end
end
END
    cat >ruby/crash.rb <<'END'
require_relative "lib/cart"

Cart.new.total(["1", "pen"])
END
    cat >php/src/Cart.php <<'END'
<?php

namespace Acme;

class Cart
{
    public function total(array $items): int
    {
        return array_sum(array_map(fn ($item) => $this->price($item), $items));
    }

    public function price(?int $item): int
    {
        throw new \RuntimeException("no price");
    }
}
END
    cat >php/crash.php <<'END'
<?php

require __DIR__ . '/src/Cart.php';

function main(): void
{
    echo (new Acme\Cart())->total([1, 2]);
}

main();
END
    cat >csharp/Shop.cs <<'END'
using System;
using System.Collections.Generic;

namespace Acme.Shop
{
    public class Till
    {
        public int Price(string name)
        {
            return int.Parse(name);
        }
    }

    public static class Program
    {
        public static void Main(string[] arguments)
        {
            try
            {
                new List<string> { "1", "pen" }.ForEach(name => new Till().Price(name));
            }
            catch (FormatException error)
            {
                throw new InvalidOperationException("cannot open", error);
            }
        }
    }
}
END
}
