using System.Net.WebSockets;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>Lets bots join a match, one at a time.</summary>
internal sealed class BotService(ProxiedMatch match)
{
    private readonly Lock _lock = new();
    private BotConnection? _bot;
    private TaskCompletionSource? _disconnected;

    /// <summary>Whether a bot is connected.</summary>
    public bool HasClient => Volatile.Read(ref _bot) is not null;

    /// <summary>Begins to serve a bot that has connected.</summary>
    public IServedClient Begin(WebSocket socket)
    {
        var bot = new BotConnection(socket, match, OnServed);
        Volatile.Write(ref _bot, bot);
        return bot;
    }

    /// <summary>Waits until no bot is connected, but at most for this time.</summary>
    public async Task WhenDisconnectedAsync(TimeSpan patience)
    {
        Task disconnected;
        lock (_lock)
        {
            if (_bot is null)
            {
                return;
            }

            disconnected = (_disconnected ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }

        await Task.WhenAny(disconnected, Task.Delay(patience));
    }

    /// <summary>Closes the bot's connection.</summary>
    /// <param name="why">The reason, for the bot.</param>
    public Task CloseAsync(string why) =>
        Volatile.Read(ref _bot)?.CloseAsync(WebSocketCloseStatus.NormalClosure, why) ?? Task.CompletedTask;

    private void OnServed()
    {
        lock (_lock)
        {
            _bot = null;
            _disconnected?.TrySetResult();
        }
    }
}
