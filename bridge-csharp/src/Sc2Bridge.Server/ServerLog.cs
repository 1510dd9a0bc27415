using System.Net;
using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Server;

/// <summary>The log messages of the server. An event id never changes.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(2000, LogLevel.Error, "The gRPC call {Method} failed")]
    public static partial void CallFailed(ILogger logger, Exception problem, string method);

    [LoggerMessage(2001, LogLevel.Error, "The session of agent '{Agent}' over {Transport} failed")]
    public static partial void SessionFailed(ILogger logger, Exception problem, string transport, string agent);

    [LoggerMessage(2002, LogLevel.Error, "A request of agent '{Agent}' failed")]
    public static partial void RequestFailed(ILogger logger, Exception problem, string agent);

    [LoggerMessage(
        2003, LogLevel.Warning, "The connection of agent '{Agent}' was closed, because the agent left a message unread after its subscription had ended")]
    public static partial void UnreadCut(ILogger logger, string agent);

    // Debug level, because clients without a token can cause any number of refusals; a metric counts them. Log the address,
    // never the token.
    [LoggerMessage(2004, LogLevel.Debug, "A request of {Address} was refused: {Why}")]
    public static partial void TokenRefused(ILogger logger, IPAddress? address, string why);
}
