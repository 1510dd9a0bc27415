using System.Threading.Channels;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Server;

/// <summary>Sends the rows of the step log to one client while the client subscribes to them. If too many rows wait, the oldest are dropped.</summary>
/// <param name="events">Raises an event for each row.</param>
/// <param name="match">The match. Rows of perspectives that the client may not see are left out.</param>
/// <param name="subscription">Returns the client's subscription number; null if the client has not subscribed.</param>
/// <param name="socket">The client's socket.</param>
internal sealed class FoxgloveRows(HubEvents events, FoxgloveMatch match, Func<uint?> subscription, FoxgloveSocket socket)
{
    private const int MostWaiting = 256;

    private readonly Channel<LoggedStep> _rows = Channel.CreateBounded<LoggedStep>(
        new BoundedChannelOptions(MostWaiting) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <summary>Sends rows as they arrive.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        await foreach (var row in _rows.Reader.ReadAllAsync(ct))
        {
            if (subscription() is { } id)
            {
                await socket.SendMessageAsync(id, match.TimeOf(row), row.Record.ToByteArray());
            }
        }
    }

    /// <summary>
    /// Starts to listen. Call it only if the client subscribes to the rows, because each listener needs room in the hub's queue for
    /// each row.
    /// </summary>
    public void StartListening() => events.StepLogged += Enqueue;

    /// <summary>Stops listening.</summary>
    public void StopListening() => events.StepLogged -= Enqueue;

    private void Enqueue(LoggedStep row)
    {
        if (match.Perspectives.Contains(row.Record.Perspective))
        {
            _rows.Writer.TryWrite(row);
        }
    }
}
