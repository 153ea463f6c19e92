//! Object-oriented and data languages.

use super::{check, check_with, limits};

#[test]
fn java_keeps_annotations_and_javadoc() {
    let source = "\
package a;

import java.util.List;

/** Serves. */
@Service
public class UserService<T> implements A {
  private final int a = 1;

  public UserService() {
    super();
  }

  /** Gets. */
  @Override
  public List<T> getUser(
      int id) {
    return null;
  }

  enum Kind { A, B; void f() {} }
}
";
    check("A.java", source, "\
1-3 Code -
5-22 Class UserService [UserService UserService.UserService UserService.getUser UserService.Kind UserService.Kind.f] 5-7 10-10 14-17 21-21
");
}

#[test]
fn kotlin_objects_companions_and_properties() {
    let source = "\
package a

import b.C

/** Doc. */
@Ann
class Cookie(val name: String) {
  val x: Int = 1

  fun matches(url: String): Boolean {
    return true
  }

  companion object {
    fun parse(): Cookie? = null
  }
}

object Single {
  fun f() {}
}

fun String.ext() = length
";
    check(
        "a.kt",
        source,
        "\
1-3 Code -
5-17 Class Cookie [Cookie Cookie.x Cookie.matches Cookie.parse] 5-7 10-10 14-15
19-21 Class Single [Single Single.f]
23-23 Function ext [ext]
",
    );
}

#[test]
fn scala_objects_traits_and_definitions() {
    let source = "\
package a.b

import c._

/** Doc. */
trait Shape {
  def area: Double
}

class Circle(r: Double) extends Shape {
  val x = 1
  def area: Double = {
    r * r
  }
}

object Circle {
  def apply(r: Double) = new Circle(r)
}
";
    check(
        "a.scala",
        source,
        "\
1-3 Code -
5-8 Class Shape [Shape Shape.area]
10-15 Class Circle [Circle Circle.x Circle.area] 10-10 12-12
17-19 Class Circle [Circle Circle.apply]
",
    );
}

// Shows: AC-032, FR-016-40, FR-016-49
#[test]
fn csharp_members_are_named_under_their_class() {
    let source = "\
using System;

namespace A.B
{
    /// <summary>Serves.</summary>
    [Serializable]
    public class UserService : IService
    {
        private readonly int _a;

        public UserService(int a)
        {
            _a = a;
        }

        public string Name { get; set; }

        [Fact]
        public int GetUser(int id) => id;

        public static bool operator ==(UserService a, UserService b) => true;
    }

    public record Point(int X, int Y);

    public enum Color { Red }
}
";
    check("a.cs", source, "\
1-4 Code -
5-22 Class UserService [UserService UserService.UserService UserService.Name UserService.GetUser UserService.operator] 5-7 11-11 16-16 18-19 21-21
24-24 Class Point [Point]
26-27 Class Color [Color] 26-26
");
}

// Shows: AC-031, AC-038
#[test]
fn large_csharp_class_is_split_between_methods() {
    let body = "        value = Compute(value, 12345);\n".repeat(4);
    let method = |name| format!("    public void {name}()\n    {{\n{body}    }}\n");
    let source = format!("public class A\n{{\n{}\n{}}}\n", method("First"), method("Second"));
    check_with(
        &limits(60),
        "a.cs",
        &source,
        "\
1-2 ClassHeader A [A] 1-1
3-9 Function A.First [A.First] 3-3
11-18 Function A.Second [A.Second] 11-11
",
    );
}

// Shows: AC-032
#[test]
fn csharp_file_scoped_namespaces_are_not_part_of_symbols() {
    let source = "\
namespace A.B;

public interface IService
{
    void Run();
}

public class Impl : IService
{
    public void Run() { }
}
";
    check(
        "a.cs",
        source,
        "\
1-1 Code -
3-6 Class IService [IService IService.Run] 3-3 5-5
8-11 Class Impl [Impl Impl.Run] 8-8 10-10
",
    );
}

#[test]
fn php_classes_traits_and_functions() {
    let source = "\
<?php

namespace A\\B;

use C\\D;

/**
 * Doc.
 */
#[Attribute]
final class Cache extends Base
{
    const SIZE = 1;

    private $root;

    public function __construct($root)
    {
        $this->root = $root;
    }
}

function helper(): int
{
    return 1;
}
";
    check(
        "a.php",
        source,
        "\
1-5 Code -
7-21 Class Cache [Cache Cache.SIZE Cache.__construct] 7-11 17-17
23-26 Function helper [helper] 23-23
",
    );
}

#[test]
fn json_entries_are_merged_and_keys_are_symbols() {
    check(
        "a.json",
        "{\n  \"name\": \"x\",\n  \"deps\": {\n    \"a\": 1\n  }\n}\n",
        "\
1-6 Code - [name deps]
",
    );
}

#[test]
fn yaml_entries_are_merged_and_keys_are_symbols() {
    check(
        "a.yml",
        "# Top.\non: push\njobs:\n  build:\n    steps: []\n---\nb: 1\n",
        "\
1-7 Code - [on jobs b]
",
    );
}

#[test]
fn toml_entries_are_merged_and_tables_are_symbols() {
    check(
        "a.toml",
        "[package]\nname = \"x\"\n\n[[bin]]\npath = \"y\"\n\n[a.b]\nc = 1\n",
        "\
1-8 Code - [package bin a.b]
",
    );
}

#[test]
fn html_and_css_are_kept_whole_if_they_fit() {
    check(
        "a.html",
        "<!doctype html>\n<html>\n<body>\n<p>x</p>\n</body>\n</html>\n",
        "\
1-6 Code -
",
    );
    check(
        "a.css",
        "a { b: c }\n\n/* Doc. */\n.x, .y {\n  d: e;\n}\n",
        "\
1-6 Code - [a .x, .y]
",
    );
}

// Shows: AC-043, FR-016-50
#[test]
fn language_without_a_grammar_is_split_by_lines() {
    check(
        "a.sql",
        "select 1;\n\nselect 2;\n",
        "\
1-3 Lines -
",
    );
}
