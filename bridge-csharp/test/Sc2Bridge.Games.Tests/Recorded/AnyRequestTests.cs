using System.Buffers;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>Every sequence of requests, valid or not, gets all its answers.</summary>
public sealed class AnyRequestTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Every_request_is_answered_or_refused_with_a_reason(int seed)
    {
        var random = new Random(seed);
        var match = new SimulatedRecording((Race)random.Next(1, 4));
        for (var i = 0; i < 60; i++)
        {
            match.Play((uint)random.Next(1, 5));
        }

        using var builder = new RecordingBuilder { Description = match.Describe() };
        using var game = new PlayedGame(builder.Write(match.Observations), strict: seed == 4);
        var made = new AnyMessage(random);
        var answered = new HashSet<Request.RequestOneofCase>();
        for (var i = 0; i < 4000; i++)
        {
            var request = Next(random, made);
            var before = game.Status;
            if (game.TryAsk(request, out var response) is { } rest)
            {
                Assert.InRange(rest, TimeSpan.Zero, TimeSpan.FromDays(1));
                game.Clock.Now += TimeSpan.FromSeconds(1);
                continue;
            }

            Assert.True(response!.HasStatus);
            if (response.ResponseCase == Response.ResponseOneofCase.None)
            {
                Assert.All(response.Error, error => Assert.NotEmpty(error));
                Assert.NotEmpty(response.Error);
                Assert.Equal(before, response.Status);
            }
            else
            {
                answered.Add(request.RequestCase);
            }
        }

        // All requests that a recording answers (quick_load only by chance). The others are refused in every state.
        Assert.InRange(answered.Count, 14, 15);
    }

    [Fact]
    public void Damaged_requests_are_no_requests_or_are_answered()
    {
        var random = new Random(8);
        using var builder = new RecordingBuilder();
        using var game = new PlayedGame(builder.Write(RecordingBuilder.Loops(9)));
        var understood = 0;
        for (var i = 0; i < 4000; i++)
        {
            var bytes = Next(random, new AnyMessage(random)).ToByteArray();
            for (var damage = random.Next(3); damage > 0 && bytes.Length > 0; damage--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            try
            {
                var request = Request.Parser.ParseFrom(bytes);
                understood += request.Quit is null && game.TryAsk(request, out _) is null ? 1 : 0;
            }
            catch (InvalidProtocolBufferException)
            {
                // The server closes the connection.
            }
        }

        Assert.True(understood > 500);
    }

    private static Request Next(Random random, AnyMessage made)
    {
        var request = random.Next(12) switch
        {
            0 => new Request { CreateGame = PlayedGame.Create(random.Next(4) == 0, random.Next(2)) },
            1 => new Request { JoinGame = PlayedGame.Participant((Race)random.Next(5)) },
            2 => new Request { JoinGame = PlayedGame.Observer((uint)random.Next(3)) },
            3 or 4 => new Request { Step = new RequestStep { Count = (uint)random.Next(8) } },
            5 => new Request { Observation = made.Of<RequestObservation>() },
            6 => new Request { Query = made.Of<RequestQuery>() },
            7 => new Request { Action = made.Of<RequestAction>() },
            8 => new Request { Debug = PlayedGame.Draw(made.Of<DebugDraw>()) },
            _ => made.Of<Request>(),
        };
        return request.Quit is null ? request : new Request { Ping = new RequestPing() };
    }
}
