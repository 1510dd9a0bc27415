using System.Buffers;

namespace Sc2Bridge.Games.Tests.Served;

/// <summary>A scripted game. By default it answers at once, with a response of the request's kind.</summary>
internal sealed class TestGame : IRequestHandler
{
    private readonly TaskCompletionSource _failure = new();

    /// <summary>The outcome of a request, after it was answered.</summary>
    public Func<Request, CancellationToken, Task<RequestOutcome>> Turn { get; init; } =
        (request, _) => Task.FromResult(request.Quit is null ? RequestOutcome.Answered : RequestOutcome.Quit);

    public bool Disposed { get; private set; }

    /// <summary>The largest number of requests at the same time.</summary>
    public int MostAtOnce { get; private set; }

    public Task Failure => _failure.Task;

    private int AtOnce { get; set; }

    public async ValueTask<RequestOutcome> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left)
    {
        MostAtOnce = Math.Max(MostAtOnce, ++AtOnce);
        new Response { Id = request.Id, Status = Status.Launched }.WriteTo(response);
        var turn = await Turn(request, left);
        AtOnce--;
        return turn;
    }

    public void Fail(Exception why) => _failure.SetException(why);

    public ValueTask DisposeAsync()
    {
        Disposed = true;
        return ValueTask.CompletedTask;
    }
}

/// <summary>The listening address, and nothing else.</summary>
internal sealed record TestOptions : GameApiOptions
{
    public string Own { get; init; } = "";

    public static TestOptions Parse(params string[] arguments) => Read(
        arguments,
        new TestOptions(),
        new Dictionary<string, Func<TestOptions, Func<string>, TestOptions>>
        {
            ["-own"] = (options, value) => options with { Own = value() },
        });
}
