using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>What a WebSocket throws where its connection has ended, from either end.</summary>
internal static class BrokenConnection
{
    /// <summary>Whether an exception says that.</summary>
    internal static bool Is(Exception exception) => WebSocketEnd.Is(exception) || exception is InvalidOperationException;

    /// <summary>The innermost exception's words, as a sentence.</summary>
    internal static string Cause(Exception exception)
    {
        while (exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception.Message.TrimEnd('.') + ".";
    }
}
