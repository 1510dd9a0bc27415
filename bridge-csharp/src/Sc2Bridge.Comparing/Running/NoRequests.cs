using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Comparing.Running;

/// <summary>A match that is only recorded: nobody asks anything of it.</summary>
internal sealed class NoRequests : IGameRequests
{
    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        throw new InvalidOperationException("Nobody asks while it is recorded.");
}
