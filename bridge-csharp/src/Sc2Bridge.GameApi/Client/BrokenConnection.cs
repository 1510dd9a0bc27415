using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>Recognises the exceptions of a WebSocket whose connection was ended by either program.</summary>
internal static class BrokenConnection
{
    internal static bool Is(Exception exception) => WebSocketEnd.MeansClosed(exception) || exception is InvalidOperationException;

    /// <summary>The message of the innermost exception, as a sentence.</summary>
    internal static string Cause(Exception exception)
    {
        while (exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception.Message.TrimEnd('.') + ".";
    }
}
