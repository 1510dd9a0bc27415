using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>A bot's request on its way to the game, and its answer on the way back.</summary>
/// <param name="bot">The bot's connection.</param>
/// <param name="match">The bot's match.</param>
/// <param name="socket">Sends the answer.</param>
/// <param name="message">The request.</param>
/// <param name="receivedNs">When the request's last byte arrived, in nanoseconds of <see cref="MonotonicClock"/>.</param>
internal sealed class BotRequest(BotConnection bot, ProxiedMatch match, BotSocket socket, Request message, long receivedNs)
    : IResponseReceiver
{
    private long _bridgeDelayNs;
    private long _heldNs;
    private long _gameNs;
    private int _measuredParts;

    public Request Message => message;

    /// <summary>When the request's last byte arrived, in nanoseconds of <see cref="MonotonicClock"/>.</summary>
    public long ReceivedNs => receivedNs;

    private Kind Kind => message.RequestCase;

    /// <summary>Serializes a response with the request's id.</summary>
    public static byte[] Serialize(Request request, Response response)
    {
        if (request.HasId)
        {
            response.Id = request.Id;
        }

        return response.ToByteArray();
    }

    /// <summary>Called when the request has been sent to the game.</summary>
    /// <param name="heldNs">How long the request waited for the other agents and the match's rate, in nanoseconds.</param>
    public void OnSent(long heldNs)
    {
        _heldNs = heldNs;
        AddDelay(MonotonicClock.NowNs - receivedNs - heldNs);
    }

    /// <summary>
    /// Sends the game's answer to the bot. <see cref="ProxiedMatch"/> reads an observation after the send, and other answers before it.
    /// </summary>
    public async ValueTask ReceiveAsync(RawResponse answer)
    {
        try
        {
            await socket.SendAsync(Kind == Kind.Observation ? answer.Buffer.Written : ReadAnswer(answer)).ConfigureAwait(false);
            _gameNs = answer.ObservedNs - answer.RequestedNs;
            match.Times.AddGame(_gameNs);
            AddDelay(MonotonicClock.NowNs - answer.ObservedNs);
        }
        finally
        {
            if (Kind == Kind.Observation)
            {
                match.OnObservation(answer);
            }
            else
            {
                Report(answer);
                answer.Buffer.Release();
            }

            bot.OnAnswered();
        }
    }

    /// <inheritdoc/>
    public void Fail(GameException failure) => Fail(failure.Message);

    /// <summary>Called when the game will not answer the request.</summary>
    public void Fail(string why)
    {
        if (match.OrdersOf(this) is { } orders)
        {
            match.Report(orders.ToFailureReport(why));
        }

        if (Kind == Kind.Observation)
        {
            match.Frames.Put(null);
        }

        bot.OnAnswered();
    }

    private ReadOnlyMemory<byte> ReadAnswer(in RawResponse answer)
    {
        try
        {
            match.OnAnswer(message, answer);
        }
        catch (GameException failure)
        {
            match.Frames.Fail(failure);
        }

        return Kind == Kind.Quit
            ? Serialize(message, new Response { Quit = new ResponseQuit(), Status = Status.Quit })
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
            report = orders.ToReport(answer.Parse());
        }
        catch (GameException malformed)
        {
            report = orders.ToFailureReport(malformed.Message);
        }

        match.Report(report);
    }

    // Called once after the request was sent and once after its answer was sent, in either order. The second call adds the figures.
    private void AddDelay(long ns)
    {
        Interlocked.Add(ref _bridgeDelayNs, ns);
        if (Interlocked.Increment(ref _measuredParts) == 2)
        {
            match.Figures.Add(Kind, _gameNs, _bridgeDelayNs, _heldNs);
        }
    }
}
