using System.Threading.Channels;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Server;

/// <summary>
/// The step log's rows for one client, while it wants them; of more than wait for it the oldest are dropped.
/// </summary>
/// <param name="events">Where rows come from.</param>
/// <param name="match">What is shown: rows of other perspectives are not.</param>
/// <param name="subscription">The client's number; null while it wants none.</param>
/// <param name="socket">The client's.</param>
internal sealed class FoxgloveRows(HubEvents events, FoxgloveMatch match, Func<uint?> subscription, FoxgloveSocket socket)
{
    private const int MostWaiting = 256;

    private readonly Channel<LoggedStep> _rows = Channel.CreateBounded<LoggedStep>(
        new BoundedChannelOptions(MostWaiting) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <summary>Sends what comes.</summary>
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

    /// <summary>The client wants them: each listener takes room in the hub's queue for each row.</summary>
    public void Listen() => events.StepLogged += Take;

    /// <summary>The client wants none.</summary>
    public void Leave() => events.StepLogged -= Take;

    private void Take(LoggedStep row)
    {
        if (match.Perspectives.Contains(row.Record.Perspective))
        {
            _rows.Writer.TryWrite(row);
        }
    }
}
