using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>Plays a replay in the game: pauses, steps, sets the rate, and moves forward, but not back.</summary>
internal sealed class ReplayPlay : SteppedPlay
{
    private readonly string _replay;
    private readonly uint _stepSize;
    private readonly uint _loops;
    private bool _hasJumped;

    /// <param name="replay">The replay's file, for messages.</param>
    /// <param name="match">The match's name.</param>
    /// <param name="settings">How the replay is watched.</param>
    /// <param name="loops">The replay's length in game loops.</param>
    /// <exception cref="GameException">The replay has no observation in the chosen range.</exception>
    public ReplayPlay(string replay, string match, ReplaySettings settings, uint loops)
        : base(match, RangeOf(replay, settings, loops), new PlaybackClock(settings.Rate.Hz, settings.IsPaused))
    {
        (_replay, _stepSize, _loops) = (replay, settings.StepSize, loops);
        (CurrentStep, NextStep, _hasJumped) = (StepAt(Range.FirstStep), Range.FirstStep, Range.FirstStep > 0);
    }

    /// <summary>The number of the next step.</summary>
    public ulong NextStep { get; private set; }

    /// <summary>Whether the chosen range was played and the replay continues after the range.</summary>
    public bool IsPastRange => Range.IsCut && NextStep > Range.LastStep;

    /// <summary>
    /// Begins the next step. The caller then requests this step from the game. The step's number is <see cref="NextStep"/> before the call.
    /// </summary>
    /// <param name="nowNs">The current time, in nanoseconds.</param>
    /// <returns>The playback's state if the step does not follow the previous step; otherwise null.</returns>
    public PlaybackState? BeginStep(long nowNs)
    {
        Clock.OnStepGiven(nowNs);
        CurrentStep = StepAt(NextStep++);
        var jump = _hasJumped ? State() : null;
        _hasJumped = false;
        return jump;
    }

    /// <inheritdoc/>
    protected override void MoveBack(ulong steps) => throw CannotMoveBack();

    /// <inheritdoc/>
    protected override void MoveToLoop(uint loop) => MoveToStep(StepOf(loop, _stepSize));

    /// <inheritdoc/>
    protected override void MoveToStep(ulong step)
    {
        if (step < NextStep)
        {
            throw CannotMoveBack();
        }

        _hasJumped |= step > NextStep;
        (CurrentStep, NextStep) = (StepAt(step), step);
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

    // Each step is at a game loop that is a multiple of the step size. Returns the first step at or after the loop.
    private static ulong StepOf(uint loop, uint stepSize) => (loop + (ulong)stepSize - 1) / stepSize;

    private static uint LoopOf(ulong step, uint stepSize, uint loops) => (uint)Math.Min(step * stepSize, loops);

    private FoundStep StepAt(ulong step) => new(step, LoopOf(step, _stepSize, _loops));

    private RequestRefusedException CannotMoveBack() => new(
        StatusCode.FailedPrecondition,
        $"the game cannot move the replay {_replay} back: record it first (sc2bridge record), and replay "
        + "the recording");
}
