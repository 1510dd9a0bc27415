namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>How a field is read from the wire and written as text, those that begin with a varint first.</summary>
internal enum TextKind : byte
{
    Enum,
    Int32,
    UInt32,

    /// <summary>The last of those of 32 bits.</summary>
    LastNarrow = UInt32,
    Bool,
    Int64,
    UInt64,

    /// <summary>The last of those that are a varint.</summary>
    LastVarint = UInt64,
    Message,
    Float,
    Double,
    Text,
    Bytes,

    /// <summary>One of a run of messages.</summary>
    Messages,

    /// <summary>One of a run of values, each with its tag.</summary>
    Repeated,

    /// <summary>Values one after the other, without tags.</summary>
    Packed,
}
