//! Dart, R, Dockerfiles, HCL and Protobuf.

use super::{check, check_with, limits};
use crate::ChunkLimits;

#[test]
fn dart_classes_contain_their_methods() {
    let source = "\
import 'dart:async';

/// A counter.
class Counter extends Model {
  final int start;

  Counter(this.start);

  /// Adds one.
  @override
  Future<int> increment(int by) async {
    return start + by;
  }

  int get value => start;
}

mixin Loud on Counter {
  void shout() {}
}

enum Color { red, green }

extension Twice on int {
  int twice() => this * 2;
}

/// The entry.
void main(List<String> args) {
  print(args);
}
";
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "lib/counter.dart",
        source,
        "\
1-1 Code -
3-7 ClassHeader Counter [Counter] 3-4
9-13 Function Counter.increment [Counter.increment] 9-11
15-16 Function Counter.value [Counter.value] 15-15
18-18 ClassHeader Loud [Loud]
19-20 Function Loud.shout [Loud.shout] 19-19
22-22 Class Color [Color]
24-24 ClassHeader Twice [Twice]
25-26 Function Twice.twice [Twice.twice] 25-25
28-31 Function main [main] 28-29
",
    );
}

#[test]
fn r_functions_are_named_by_their_assignment() {
    let source = "\
library(stats)

# Fits a model.
fit_model <- function(data, n = 10) {
  lm(y ~ x, data)
}

predict.fit = function(object, ...) object$value

LIMIT <- 10
";
    check(
        "R/model.R",
        source,
        "\
1-1 Code -
3-6 Function fit_model [fit_model] 3-4
8-8 Function predict.fit [predict.fit]
10-10 Code LIMIT [LIMIT]
",
    );
}

#[test]
fn stages_of_a_dockerfile_have_names() {
    let source = "\
# The build.
FROM rust:1 AS build
WORKDIR /src
COPY . .
RUN cargo build && \\
    cargo test

FROM debian:12
COPY --from=build /src/app /app
CMD [\"/app\"]
";
    check(
        "Dockerfile",
        source,
        "\
1-10 Code - [build]
",
    );
}

#[test]
fn hcl_blocks_are_named_by_their_labels() {
    let source = "\
# The disk.
resource \"aws_ebs_volume\" \"data\" {
  size = 40
  tags = {
    Name = \"data\"
  }
}

variable \"region\" {
  default = \"eu\"
}

name = \"x\"
";
    check(
        "infra/main.tf",
        source,
        "\
1-13 Code - [resource.aws_ebs_volume.data variable.region name]
",
    );
}

#[test]
fn protobuf_messages_and_services_are_classes() {
    let source = "\
syntax = \"proto3\";
package shop.v1;

// A user.
message User {
  string name = 1;
  enum Role {
    ADMIN = 0;
  }
  Role role = 2;
}

service Users {
  // Returns a user.
  rpc GetUser(GetUserRequest) returns (User);
  rpc DeleteUser(GetUserRequest) returns (User) {}
}
";
    check(
        "api/shop.proto",
        source,
        "\
1-2 Code -
4-11 Class User [User User.Role] 4-5 7-7
13-17 Class Users [Users]
",
    );
}

#[test]
fn broken_texts_of_the_new_languages_are_still_covered() {
    let broken =
        "}}} ((( class <<EOF \"unclosed\nFROM message { 'x\n\n@@ <- function( resource \"a\n";
    for path in ["a.dart", "a.R", "Dockerfile", "a.tf", "a.proto"] {
        super::chunk_checked(path, broken, &limits(20));
        super::chunk_checked(path, &broken.repeat(200), &limits(200));
    }
}
