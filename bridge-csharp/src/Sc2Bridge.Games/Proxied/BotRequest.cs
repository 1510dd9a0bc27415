using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>One request of a bot's on its way to the game, and its answer on the way back.</summary>
/// <param name="bot">Who asked.</param>
/// <param name="asked">What it asked.</param>
/// <param name="receivedNs">When the whole of it was there.</param>
internal sealed class BotRequest(BotConnection bot, Request asked, long receivedNs) : IResponseReceiver
{
    private long _addedNs;
    private long _heldNs;
    private long _gameNs;
    private int _parts;

    /// <summary>What it asked.</summary>
    public Request Asked => asked;

    /// <summary>When the whole of it was there, in nanoseconds of <see cref="MonotonicClock"/>.</summary>
    public long ReceivedNs => receivedNs;

    /// <summary>It was sent on.</summary>
    /// <param name="heldNs">How long it was held for others.</param>
    public void Sent(long heldNs)
    {
        _heldNs = heldNs;
        Measure(MonotonicClock.NowNs - receivedNs - heldNs);
    }

    /// <inheritdoc/>
    public async ValueTask TakeAsync(RawResponse answer)
    {
        try
        {
            await bot.AnswerAsync(this, answer);
            _gameNs = answer.ObservedNs - answer.RequestedNs;
            Measure(MonotonicClock.NowNs - answer.ObservedNs);
        }
        finally
        {
            bot.Answered(this, answer);
        }
    }

    /// <inheritdoc/>
    public void Fail(GameException failure) => bot.Unanswered(this, failure.Message);

    // The answer may be there before the sending is known to be done.
    private void Measure(long ns)
    {
        Interlocked.Add(ref _addedNs, ns);
        if (Interlocked.Increment(ref _parts) == 2)
        {
            bot.Measured(asked.RequestCase, _gameNs, _addedNs, _heldNs);
        }
    }
}
