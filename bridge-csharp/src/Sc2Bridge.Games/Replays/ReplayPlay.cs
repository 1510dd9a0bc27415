using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>What a replay in the game gives, and when: it is held, stepped, paced and moved forward, but not back.</summary>
internal sealed class ReplayPlay : SteppedPlay
{
    private readonly string _replay;
    private readonly uint _stepSize;
    private readonly uint _loops;
    private bool _jumped;

    /// <param name="replay">Its file, for messages.</param>
    /// <param name="match">The match's name.</param>
    /// <param name="settings">How it is watched.</param>
    /// <param name="loops">Its length in game loops.</param>
    /// <exception cref="GameException">Nothing of it is to be watched.</exception>
    public ReplayPlay(string replay, string match, ReplaySettings settings, uint loops)
        : base(match, RangeOf(replay, settings, loops), new PlaybackClock(settings.Rate.Hz, settings.IsHeld))
    {
        (_replay, _stepSize, _loops) = (replay, settings.StepSize, loops);
        (At, Next, _jumped) = (Found(Range.FirstStep), Range.FirstStep, Range.FirstStep > 0);
    }

    /// <summary>The step that comes next.</summary>
    public ulong Next { get; private set; }

    /// <summary>Whether all that is watched was given, though the replay goes on.</summary>
    public bool IsPast => Range.IsCut && Next > Range.LastStep;

    /// <summary>
    /// The step that comes next is asked of the game now: it is <see cref="Next"/> before the call.
    /// </summary>
    /// <param name="nowNs">The time.</param>
    /// <returns>How it stands, where the step does not follow the last one; null where it does.</returns>
    public PlaybackState? Give(long nowNs)
    {
        Clock.Give(nowNs);
        At = Found(Next++);
        var jump = _jumped ? State() : null;
        _jumped = false;
        return jump;
    }

    /// <inheritdoc/>
    protected override void MoveBack(ulong steps) => throw NotBack();

    /// <inheritdoc/>
    protected override void MoveToLoop(uint loop) => MoveToStep(StepOf(loop, _stepSize));

    /// <inheritdoc/>
    protected override void MoveToStep(ulong step)
    {
        if (step < Next)
        {
            throw NotBack();
        }

        _jumped |= step > Next;
        (At, Next) = (Found(step), step);
    }

    private static PlaybackRange RangeOf(string replay, ReplaySettings settings, uint loops)
    {
        var end = StepOf(loops, settings.StepSize);
        var first = StepOf(settings.From ?? 0, settings.StepSize);
        var last = Math.Min(end, (settings.To ?? uint.MaxValue) / settings.StepSize);
        return first <= last
            ? new PlaybackRange(
                first, last, LoopOf(first, settings.StepSize, loops), LoopOf(last, settings.StepSize, loops), last < end)
            : throw new GameException(
                $"{replay} has no observations from game loop {settings.From ?? 0} to {settings.To ?? loops}: choose "
                + $"from 0 to {loops}.");
    }

    // Steps are at whole multiples: the first that is not before the loop.
    private static ulong StepOf(uint loop, uint stepSize) => (loop + (ulong)stepSize - 1) / stepSize;

    private static uint LoopOf(ulong step, uint stepSize, uint loops) => (uint)Math.Min(step * stepSize, loops);

    private FoundStep Found(ulong step) => new(step, LoopOf(step, _stepSize, _loops));

    private RequestRefusedException NotBack() => new(
        StatusCode.FailedPrecondition,
        $"the game plays the replay {_replay}, and cannot take it back: record it first (sc2bridge record), and replay "
        + "the recording");
}
