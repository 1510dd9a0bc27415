using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>One request of a bot's on its way to the game, and its answer on the way back.</summary>
/// <param name="bot">Who asked.</param>
/// <param name="match">What the bot plays.</param>
/// <param name="socket">Gets the answer.</param>
/// <param name="asked">What it asked.</param>
/// <param name="receivedNs">When the whole of it was there.</param>
internal sealed class BotRequest(BotConnection bot, ProxiedMatch match, BotSocket socket, Request asked, long receivedNs)
    : IResponseReceiver
{
    private long _addedNs;
    private long _heldNs;
    private long _gameNs;
    private int _parts;

    /// <summary>What it asked.</summary>
    public Request Asked => asked;

    /// <summary>When the whole of it was there, in nanoseconds of <see cref="MonotonicClock"/>.</summary>
    public long ReceivedNs => receivedNs;

    private Kind Kind => asked.RequestCase;

    /// <summary>A response with the request's id.</summary>
    public static byte[] Answer(Request request, Response response)
    {
        if (request.HasId)
        {
            response.Id = request.Id;
        }

        return response.ToByteArray();
    }

    /// <summary>It was sent on.</summary>
    /// <param name="heldNs">How long it was held for others.</param>
    public void Sent(long heldNs)
    {
        _heldNs = heldNs;
        Measure(MonotonicClock.NowNs - receivedNs - heldNs);
    }

    /// <summary>
    /// Sends the bot the game's answer, which the match takes into account before that; an observation becomes a frame after it.
    /// </summary>
    public async ValueTask TakeAsync(RawResponse answer)
    {
        try
        {
            await socket.SendAsync(Kind == Kind.Observation ? answer.Buffer.Written : Heard(answer)).ConfigureAwait(false);
            _gameNs = answer.ObservedNs - answer.RequestedNs;
            Measure(MonotonicClock.NowNs - answer.ObservedNs);
        }
        finally
        {
            if (Kind == Kind.Observation)
            {
                match.Observed(answer);
            }
            else
            {
                Report(answer);
                answer.Buffer.Release();
            }

            bot.Done();
        }
    }

    /// <inheritdoc/>
    public void Fail(GameException failure) => Fail(failure.Message);

    /// <summary>The game will not answer.</summary>
    public void Fail(string why)
    {
        if (match.OrdersOf(this) is { } orders)
        {
            match.Report(orders.Failed(why));
        }

        if (Kind == Kind.Observation)
        {
            match.Frames.Put(null);
        }

        bot.Done();
    }

    private ReadOnlyMemory<byte> Heard(in RawResponse answer)
    {
        try
        {
            match.Heard(asked, answer);
        }
        catch (GameException failure)
        {
            match.Frames.Fail(failure);
        }

        return Kind == Kind.Quit
            ? Answer(asked, new Response { Quit = new ResponseQuit(), Status = Status.Quit })
            : answer.Buffer.Written;
    }

    private void Report(in RawResponse answer)
    {
        if (match.OrdersOf(this) is not { } orders)
        {
            return;
        }

        ActionReport report;
        try
        {
            report = orders.Answered(answer.Parse());
        }
        catch (GameException malformed)
        {
            report = orders.Failed(malformed.Message);
        }

        match.Report(report);
    }

    // The answer may be there before the sending is known to be done.
    private void Measure(long ns)
    {
        Interlocked.Add(ref _addedNs, ns);
        if (Interlocked.Increment(ref _parts) == 2)
        {
            match.Figures.Add(Kind, _gameNs, _addedNs, _heldNs);
        }
    }
}
