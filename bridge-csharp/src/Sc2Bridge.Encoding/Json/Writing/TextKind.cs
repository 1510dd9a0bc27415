namespace Sc2Bridge.Encoding.Json.Writing;

/// <summary>How a field is read from the wire and written as text.</summary>
internal enum TextKind : byte
{
    Bool,
    Enum,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float,
    Double,
    Text,
    Bytes,
    Message,

    /// <summary>One of a run of messages.</summary>
    Messages,

    /// <summary>One of a run of values, each with its tag.</summary>
    Repeated,

    /// <summary>Values one after the other, without tags.</summary>
    Packed,
}
