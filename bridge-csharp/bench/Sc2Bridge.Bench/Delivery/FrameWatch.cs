using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>Looks at every frame of a hub when it is published.</summary>
internal sealed class FrameWatch : IDisposable
{
    private readonly Subscription _frames;

    public FrameWatch(Hub hub, Action<ObservationFrame> look)
    {
        _frames = hub.Subscribe(
            new SubscribeRequest { Policy = Policy.Latest },
            new SubscriberInfo("bench", DeliverInline: true, Internal: true, OnOffered: look));
        Ended = DrainAsync();
    }

    /// <summary>Ends with the match.</summary>
    public Task Ended { get; }

    public void Dispose() => _frames.Dispose();

    private async Task DrainAsync()
    {
        for (var isLast = false; !isLast;)
        {
            var delivery = await _frames.ReadAsync(CancellationToken.None);
            isLast = delivery.IsLast;
            delivery.Release();
        }
    }
}
