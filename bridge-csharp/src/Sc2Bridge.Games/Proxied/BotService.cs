using System.Net.WebSockets;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>Lets bots in to a match, one at a time.</summary>
internal sealed class BotService(ProxiedMatch match)
{
    private readonly Lock _lock = new();
    private BotConnection? _bot;
    private TaskCompletionSource? _alone;

    /// <summary>Whether a bot is connected.</summary>
    public bool HasClient => Volatile.Read(ref _bot) is not null;

    /// <summary>A bot has connected.</summary>
    public IServedClient Begin(WebSocket socket)
    {
        var bot = new BotConnection(socket, match, Gone);
        Volatile.Write(ref _bot, bot);
        return bot;
    }

    /// <summary>Completes when no bot is connected, or time is up.</summary>
    public async Task WhenAloneAsync(TimeSpan patience)
    {
        Task alone;
        lock (_lock)
        {
            if (_bot is null)
            {
                return;
            }

            alone = (_alone ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }

        await Task.WhenAny(alone, Task.Delay(patience));
    }

    /// <summary>Closes the bot's connection.</summary>
    /// <param name="why">What it is told.</param>
    public Task CloseAsync(string why) =>
        Volatile.Read(ref _bot)?.CloseAsync(WebSocketCloseStatus.NormalClosure, why) ?? Task.CompletedTask;

    private void Gone()
    {
        lock (_lock)
        {
            _bot = null;
            _alone?.TrySetResult();
        }
    }
}
