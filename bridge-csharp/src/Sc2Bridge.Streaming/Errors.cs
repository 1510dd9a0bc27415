using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Error events.</summary>
internal static class Errors
{
    /// <summary>Nothing follows it.</summary>
    public static Event Fatal(uint code, string message, ulong? step = null) => Make(code, message, step, fatal: true);

    /// <summary>The subscription goes on.</summary>
    public static Event Notice(uint code, string message, ulong? step) => Make(code, message, step, fatal: false);

    private static Event Make(uint code, string message, ulong? step, bool fatal)
    {
        var error = new Error { Code = code, Message = message, Fatal = fatal };
        if (step is { } known)
        {
            error.Step = known;
        }

        return new Event { Error = error };
    }
}
