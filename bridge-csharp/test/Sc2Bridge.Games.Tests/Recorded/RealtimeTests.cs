namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>A recording in real time, at 22.4 loops a second.</summary>
public sealed class RealtimeTests : IDisposable
{
    private const double Loop = 1 / 22.4;
    private readonly RecordingBuilder _builder = new();

    public void Dispose() => _builder.Dispose();

    [Fact]
    public void The_clock_moves_it_to_the_newest_loop_that_was_recorded()
    {
        using var game = Joined(0, 1, 2, 5, 6, 9);
        Assert.Equal(0u, Seen(game));
        game.Clock.Now = TimeSpan.FromSeconds(2.5 * Loop);
        Assert.Equal(2u, Seen(game));
        game.Clock.Now = TimeSpan.FromSeconds(4.5 * Loop);
        Assert.Equal(2u, Seen(game));
        game.Clock.Now = TimeSpan.FromSeconds(6.5 * Loop);
        Assert.Equal(6u, Seen(game));
        Assert.Equal((4, 2), (game.Totals.Observations, game.Totals.Skipped));
    }

    [Fact]
    public void An_observation_waits_for_the_loop_that_it_names()
    {
        using var game = Joined(0, 1, 2, 5, 6, 9);
        var request = new Request { Observation = new RequestObservation { GameLoop = 4 } };
        for (var asked = 0; asked < 3; asked++)
        {
            var rest = game.TryAsk(request, out _);
            Assert.True(rest > TimeSpan.Zero);
            game.Clock.Now += rest.Value;
        }

        Assert.Null(game.TryAsk(request, out var response));
        Assert.Equal(5u, response!.Observation.Observation.GameLoop);
        Assert.InRange(game.Clock.Now.TotalSeconds, 4.9 * Loop, 5.1 * Loop);

        // A request for a past loop does not wait.
        Assert.Equal(5u, game.Ask(request).Observation.Observation.GameLoop);
    }

    [Fact]
    public void It_ends_when_what_was_recorded_is_over()
    {
        using var game = Joined(0, 1, 2);
        game.Ask(new Request { Action = new RequestAction { Actions = { PlayedGame.Say("go") } } });
        var request = new Request { Observation = new RequestObservation { GameLoop = 400_000 } };
        while (game.TryAsk(request, out var response) is { } rest)
        {
            Assert.Null(response);
            game.Clock.Now += rest;
        }

        Assert.Equal(Status.Ended, game.Status);
        Assert.InRange(game.Clock.Now.TotalSeconds, 2.9 * Loop, 3.1 * Loop);
        Assert.Equal(Result.Undecided, game.Observe().Observation.PlayerResult[0].Result);
        Assert.Equal((0u, "go"), Assert.Single(game.Noted.Select(noted => (noted.Loop, Assert.Single(noted.Client)))));
        Assert.Single(game.Said);
    }

    private static uint Seen(PlayedGame game) => game.Observe().Observation.Observation.GameLoop;

    private PlayedGame Joined(params uint[] loops) =>
        PlayedGame.Joined(_builder.Write(loops.Select(RecordingBuilder.Bare)), realtime: true);
}
