//! Elixir, Haskell and Zig.

use super::{check, check_with, limits};
use crate::ChunkLimits;

#[test]
fn elixir_clauses_and_attributes_form_functions() {
    let source = "\
defmodule Plug.Conn do
  @moduledoc \"\"\"
  The connection.
  \"\"\"

  @before_compile Plug.Builder

  @type t :: %__MODULE__{status: integer}
  defstruct status: 200,
            body: nil

  @limit 10

  @doc \"\"\"
  Sets the status.
  \"\"\"

  @spec put_status(t, integer) :: t
  def put_status(conn, status)

  # Checked.
  def put_status(%Conn{} = conn, status)
      when status < @limit do
    %{conn | status: status}
  end

  def put_status(conn, _), do: conn

  @doc \"Sets the default status.\"
  def put_status(conn), do: put_status(conn, 200)

  defp a <~> b do
    a
  rescue
    _ -> b
  end

  defmodule Error do
    defexception message: \"x\"
  end

  @callback call(t) :: t
end
";
    check("lib/conn.ex", source, "\
1-43 Class Plug.Conn [Plug.Conn Plug.Conn.t Plug.Conn.limit Plug.Conn.put_status Plug.Conn.<~> Plug.Conn.Error Plug.Conn.call] 1-4 14-19 29-30 32-32 38-38 42-42
");
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "lib/conn.ex",
        source,
        "\
1-12 ClassHeader Plug.Conn [Plug.Conn Plug.Conn.t Plug.Conn.limit] 1-4
14-27 Function Plug.Conn.put_status [Plug.Conn.put_status] 14-19
29-30 Function Plug.Conn.put_status [Plug.Conn.put_status]
32-36 Function Plug.Conn.<~> [Plug.Conn.<~>] 32-32
38-40 Class Plug.Conn.Error [Plug.Conn.Error] 38-38
42-43 Function Plug.Conn.call [Plug.Conn.call] 42-42
",
    );
}

#[test]
fn elixir_protocols_tests_and_conditional_modules() {
    let source = "\
if Code.ensure_loaded?(Jason) do
  defprotocol Size do
    @doc \"Bytes.\"
    @spec size(t) :: integer
    def size(data)
  end

  defimpl Size, for: Plug.Conn do
    @impl true
    def size(conn), do: byte_size(conn.body)
  end
end

defmodule SizeTest do
  use ExUnit.Case, async: true

  setup do
    :ok
  end

  describe \"size\" do
    @tag :slow
    test \"of a connection\", %{conn: conn} do
      assert Size.size(conn) == 1
    end
  end
end
";
    check(
        "test/size_test.exs",
        source,
        "\
1-12 Class - [Size Size.size Size.Plug.Conn.size]
14-27 Class SizeTest [SizeTest] 14-14 21-23
",
    );
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "test/size_test.exs",
        source,
        "\
1-1 ClassHeader -
2-2 ClassHeader Size [Size]
3-6 Function Size.size [Size.size]
8-8 ClassHeader Size.Plug.Conn
9-12 Function Size.Plug.Conn.size [Size.Plug.Conn.size] 9-10
14-19 ClassHeader SizeTest [SizeTest] 14-14
21-21 ClassHeader SizeTest
22-27 Function SizeTest.test of a connection 22-23
",
    );
}

#[test]
fn haskell_equations_stay_with_their_signature() {
    let source = "\
{-# LANGUAGE CPP #-}
-- | JSON.
module Data.Json
    ( decode
    ) where

import Prelude ()
import qualified Data.Map as M

-- | Decodes.
decode :: FromJson a
       => [a]
       -> Maybe a
decode [] = Nothing
-- All of them.
decode (x:xs)
  | x = y
  | otherwise = z
  where
    y = 1
    z = 2
{-# INLINE decode #-}

-- | Joins.
(<+>) :: a -> a -> a
a <+> b = b
infixl 4 <+>

#if MIN_VERSION_base(4,9,0)
main = do
  decode []
  decode []
#else
main = old
#endif

foreign import ccall \"sin\" c_sin :: Double -> Double
";
    check(
        "Json.hs",
        source,
        "\
1-8 Code -
10-22 Function decode [decode] 10-13
24-27 Function <+> [<+>] 24-25
29-35 Function main [main] 29-30
37-37 Function c_sin [c_sin]
",
    );
}

#[test]
fn haskell_types_classes_and_instances() {
    let source = "\
module Data.Json where

-- | A value.
data Value
    = Object !Object -- ^ an object
    | Null
    deriving (Eq, Show)

newtype Parser a = Parser { runParser :: Value -> a }

type Object = M.Map

class ToJson a where
    -- | Converts.
    toJson :: a -> Value
    default toJson :: (Generic a) => a -> Value
    toJson = genericToJson
    {-# INLINE toJson #-}

    toJsonList :: [a] -> Value
    -- ^ Converts a list.

    {-# MINIMAL toJson #-}

instance (ToJson a) => ToJson (Maybe a) where
    toJson Nothing = Null
    toJson (Just a) = toJson a

-- | As a list.

instance ToJson [a]
";
    check(
        "Json.hs",
        source,
        "\
1-1 Code -
3-7 Class Value [Value] 3-5
9-9 Class Parser [Parser]
11-11 Code Object [Object]
13-23 Class ToJson [ToJson ToJson.toJson ToJson.toJsonList] 13-15 20-20
25-27 Class ToJson.Maybe [ToJson.Maybe.toJson]
29-31 Class ToJson
",
    );
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "Json.hs",
        source,
        "\
1-1 Code -
3-7 Class Value [Value] 3-5
9-9 Class Parser [Parser]
11-11 Code Object [Object]
13-13 ClassHeader ToJson [ToJson]
14-18 Function ToJson.toJson [ToJson.toJson] 14-15
20-21 Function ToJson.toJsonList [ToJson.toJsonList] 20-20
23-23 Code ToJson
25-25 ClassHeader ToJson.Maybe
26-27 Function ToJson.Maybe.toJson [ToJson.Maybe.toJson] 26-26
29-31 Class ToJson
",
    );
}

#[test]
fn zig_containers_generic_types_and_tests() {
    let source = "\
//! Arguments.
const std = @import(\"std\");
const Allocator = std.mem.Allocator;

/// Names of a parameter.
pub const Names = struct {
    /// A letter.
    short: ?u8 = null,

    const Self = @This();

    /// The longest name.
    pub fn longest(self: *const Self) Kind {
        return .{};
    }

    pub const Kind = enum { long, short };

    test \"longest\" {}
};

/// A parameter.
pub fn Param(comptime Id: type) type {
    std.debug.assert(Id != void);

    return struct {
        id: Id,

        pub fn init(id: Id) @This() {
            return .{ .id = id };
        }
    };
}

const Error = error{Missing};

export fn add(a: i32, b: i32) i32 {
    return a + b;
}

test \"Names.longest (of none)\" {
    try std.testing.expect(true);
}

test add {}
";
    check(
        "args.zig",
        source,
        "\
1-3 Code - [Allocator]
5-20 Class Names [Names Names.longest Names.Kind] 5-6 12-13 17-17 19-19
22-33 Class Param [Param Param.init] 22-23 29-29
35-35 Code Error [Error]
37-39 Function add [add] 37-37
41-43 Function test Names.longest (of none)
45-45 Function test add
",
    );
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "args.zig",
        source,
        "\
1-3 Code - [Allocator]
5-10 ClassHeader Names [Names] 5-6
12-15 Function Names.longest [Names.longest] 12-13
17-17 Class Names.Kind [Names.Kind]
19-20 Function Names.test longest 19-19
22-27 ClassHeader Param [Param] 22-23
29-33 Function Param.init [Param.init] 29-29
35-35 Code Error [Error]
37-39 Function add [add] 37-37
41-43 Function test Names.longest (of none)
45-45 Function test add
",
    );
}

#[test]
fn zig_object_notation_is_code() {
    let source = "\
.{
    .name = .clap,
    .paths = .{\"src\"},
}
";
    check(
        "build.zig.zon",
        source,
        "\
1-4 Code -
",
    );
}

#[test]
fn literate_haskell_is_split_by_lines() {
    check("Main.lhs", "Prose.\n\n> main = print 1\n", "1-3 Lines -");
}
