//! Scripting and systems languages.

use super::check;

// Shows: FR-016-38, FR-016-39, FR-016-49
#[test]
fn rust_items_keep_their_docs_and_attributes() {
    let source = "\
//! A module.

use std::fmt;

/// Documented.
#[derive(Debug)]
pub struct Point<T> {
    x: T,
}

// Apart.

impl<T> fmt::Display for Point<T> {
    fn fmt(&self) -> String {
        String::new()
    }
}

pub const A: u32 = 1;

macro_rules! m { () => {} }

mod inner {
    pub fn deep() {
        let a = 1;
    }
}
";
    check(
        "a.rs",
        source,
        "\
1-3 Code -
5-9 Class Point [Point] 5-7
11-11 Code -
13-17 Class Point [Point.fmt] 13-14
19-19 Code A [A]
21-21 Function m [m]
23-27 Class inner [inner inner.deep] 23-24
",
    );
}

// Shows: AC-033, FR-016-39, FR-016-49
#[test]
fn python_keeps_decorators_and_outlines_docstrings() {
    let source = "\
import os

LIMIT = 3
# About f.
@cached
def f(
    a,
):
    \"\"\"Does f.\"\"\"
    b = a
    c = b
    return c

class C(Base):
    \"\"\"A class.\"\"\"
    field = 1

    @property
    async def m(self):
        a = 1
        b = 2
        return a + b

if __name__ == \"__main__\":
    f()
";
    check(
        "a.py",
        source,
        "\
1-3 Code - [LIMIT]
4-12 Function f [f]
14-22 Class C [C C.field C.m] 14-15 18-19
24-25 Code -
",
    );
}

// Shows: AC-034, FR-016-49
#[test]
fn javascript_bindings_exports_and_assignments_are_named() {
    let source = "\
import a from 'a';

export default class Store {
  handle = () => {
    return 1;
  };
  load() {
    return 2;
  }
}

const add = (a, b) => {
  return a + b;
};

exports.run = function () {
  return 3;
};

Store.prototype.stop = function () {};

module.exports = {
  meta: {},
  create(context) {
    return {};
  },
};

const table = { a: 1, b: 2 };

describe('x', () => {
  it('y');
});
";
    check(
        "a.js",
        source,
        "\
1-1 Code -
3-10 Class Store [Store Store.handle Store.load] 3-4 7-7
12-14 Function add [add] 12-12
16-18 Function run [run] 16-16
20-20 Function Store.stop [Store.stop]
22-27 Class exports [exports exports.meta exports.create] 22-22 24-24
29-33 Code - [table]
",
    );
}

// Shows: AC-035, FR-016-49
#[test]
fn typescript_has_interfaces_enums_namespaces_and_overloads() {
    let source = "\
export interface User {
  name: string;
  greet(): void;
}

export type Id = string | number;

export enum Color {
  Red,
}

declare module 'm' {
  function g(): void;
}

namespace N {
  export function inner(): number {
    return 1;
  }
}

@Injectable()
export abstract class Service {
  private a = 1;
  abstract f(): void;
  constructor(private b: B) {}
}
";
    check(
        "a.ts",
        source,
        "\
1-4 Class User [User User.greet] 1-1 3-3
6-6 Code Id [Id]
8-10 Class Color [Color] 8-8
12-14 Class m [m m.g]
16-20 Class N [N N.inner] 16-17
22-27 Class Service [Service Service.a Service.f Service.constructor]
",
    );
}

#[test]
fn tsx_components_are_functions() {
    let source = "\
export const App: FC<Props> = ({ a }) => {
  const b = a;
  return <div>{b}</div>;
};

export function Page() {
  return <App a={1} />;
}
";
    check(
        "a.tsx",
        source,
        "\
1-4 Function App [App] 1-1
6-8 Function Page [Page] 6-6
",
    );
}

#[test]
fn go_methods_are_named_under_their_receivers() {
    let source = "\
package server

import \"fmt\"

const (
	A = 1
	B = 2
)

// Server serves.
type Server[T any] struct {
	a int
	b T
}

type Doer interface {
	Do() error
}

// Start starts.
func (s *Server[T]) Start() error {
	fmt.Println()
	return nil
}

func New() *Server[int] {
	return nil
}
";
    check(
        "a.go",
        source,
        "\
1-8 Code - [A B]
10-14 Class Server [Server] 10-11
16-18 Class Doer [Doer Doer.Do]
20-24 Function Server.Start [Server.Start] 20-21
26-28 Function New [New] 26-26
",
    );
}

#[test]
fn c_has_functions_types_and_macros_inside_conditionals() {
    let source = "\
#ifndef A_H
#define A_H
#include <stdio.h>

struct point {
  int x;
};

typedef struct { int y; } other_t;

int declared(struct point *p);

/* Adds. */
static int *add(int a, int b)
{
  return 0;
}

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
";
    check(
        "a.c",
        source,
        "\
1-3 Code - [A_H]
5-7 Class point [point] 5-5
9-9 Code other_t [other_t]
11-11 Function declared [declared]
13-17 Function add [add] 13-14
19-20 Function MAX [MAX] 19-19
",
    );
}

#[test]
fn cpp_qualified_names_are_joined_without_namespaces() {
    let source = "\
#include <vector>

namespace a::b {

class EXPORT Hidden {
 public:
  void f();
};

class Foo : public Bar {
 public:
  Foo() : x_(1) {}
  int get() const;
  bool operator==(const Foo& o) const { return true; }
 private:
  int x_;
};

template <typename T>
T Foo::bar(T t) {
  return t;
}

}  // namespace a::b
";
    check(
        "a.cc",
        source,
        "\
1-3 Code -
5-8 Class Hidden [Hidden Hidden.f] 5-5 7-7
10-17 Class Foo [Foo Foo.Foo Foo.get Foo.operator==] 10-10 12-14
19-24 Function Foo.bar [Foo.bar] 19-20
",
    );
}

#[test]
fn ruby_modules_classes_and_singletons() {
    let source = "\
require 'a'

module Puma
  VERSION = '1'

  # Serves.
  class Server < Base
    attr_reader :a

    class << self
      def build
        new
      end
    end

    def self.create
      new
    end

    def run?(x)
      y = x
      y
    end
  end
end
";
    check("a.rb", source, "\
1-1 Code -
3-25 Class Puma [Puma Puma.VERSION Puma.Server Puma.Server.build Puma.Server.create Puma.Server.run?] 3-3 6-7 10-11 16-16 20-20
");
}

#[test]
fn lua_functions_of_tables() {
    let source = "\
local M = {}

-- Adds.
function M.add(a, b)
  return a + b
end

function M:method()
  return self
end

local function helper()
  return 1
end

M.sub = function(a)
  return a
end

return M
";
    check(
        "a.lua",
        source,
        "\
1-1 Code M [M]
3-6 Function M.add [M.add] 3-4
8-10 Function M.method [M.method] 8-8
12-14 Function helper [helper] 12-12
16-18 Function M.sub [M.sub] 16-16
20-20 Code -
",
    );
}

#[test]
fn bash_functions() {
    let source = "\
#!/bin/bash
set -e
NAME=x

# Greets.
greet() {
  echo hi
  cat <<EOF
text
EOF
}

function other {
  greet
}

greet
";
    check(
        "tool",
        source,
        "\
1-3 Code - [NAME]
5-11 Function greet [greet] 5-6
13-15 Function other [other] 13-13
17-17 Code -
",
    );
}

#[test]
fn swift_types_extensions_and_initializers() {
    let source = "\
import Foundation

/// A user.
struct User: Codable {
    let name: String

    init(name: String) {
        self.name = name
    }

    func greet() -> String {
        return name
    }
}

extension User {
    var short: String {
        return name
    }
}

protocol P {
    func p()
}

func free() {
    print(1)
}
";
    check(
        "a.swift",
        source,
        "\
1-1 Code -
3-14 Class User [User User.name User.init User.greet] 3-4 7-7 11-11
16-20 Class User [User User.short] 16-16
22-24 Class P [P P.p]
26-28 Function free [free] 26-26
",
    );
}
