namespace Sc2Bridge.Native;

/// <summary>The codes that functions of the interface return. They are documented in sc2bridge.h.</summary>
internal enum Code
{
    Ok = 0,
    Argument = 1,
    Handle = 2,
    Busy = 3,
    State = 4,
    Action = 5,
    Internal = 6,
    Match = 7,
    Damaged = 8,
    TooFewRows = 9,
}

/// <summary>An error that the caller gets as a code and a text.</summary>
internal sealed class Failure(Code code, string message, Exception? cause = null) : Exception(message, cause)
{
    public Code Code { get; } = code;

    public static Failure Argument(string message, Exception? cause = null) => new(Code.Argument, message, cause);
}
