namespace Sc2Bridge.Streaming.Tests;

public sealed class MatchRunnerTests
{
    [Fact]
    public async Task The_failure_of_a_game_is_logged_with_the_place_where_it_failed()
    {
        using var log = new KeptLog();
        using var hub = new Hub(new HubOptions { LoggerFactory = log });
        await using var source = new FailingSource();
        var runner = new MatchRunner(source, hub, StepRate.Max, stepLimit: 0);
        await runner.StartAsync(Ct);
        var end = await runner.RunAsync(Ct);
        Assert.Equal((EndReason.Failed, "the game has gone"), (end.Reason, end.Detail));
        var failure = Assert.Single(log.Entries, entry => entry.Exception is GameException).Exception!;
        Assert.Contains(nameof(FailingSource.FailAsync), failure.StackTrace, StringComparison.Ordinal);
    }

    private sealed class FailingSource : IGameSource
    {
        public MatchDescription Description { get; } = new() { MatchId = "failing", Perspectives = { 0u } };

        public MatchEnd? End => null;

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
        {
            await FailAsync();
            return null;
        }

        public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) => Task.FromResult(new Response());

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        internal static async Task FailAsync()
        {
            await Task.Yield();
            throw new GameException("the game has gone");
        }
    }
}
