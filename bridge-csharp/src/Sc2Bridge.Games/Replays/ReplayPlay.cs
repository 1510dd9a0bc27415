using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Command = Sc2Bridge.V1.ControlRequest.CommandOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// How a replay in the game goes on: held, stepped, paced, and moved forward. Back it cannot go: the game plays it.
/// Without I/O, and no clock: times are passed in. Not thread-safe.
/// </summary>
internal sealed class ReplayPlay : ISteppedPlay
{
    private readonly string _replay;
    private readonly string _match;
    private readonly uint _stepSize;
    private readonly uint _loops;
    private readonly ulong _first;
    private readonly ulong _last;
    private readonly PlaybackClock _clock;
    private ulong _at;
    private bool _jumped;

    /// <param name="replay">Its file, for messages.</param>
    /// <param name="match">The match's name.</param>
    /// <param name="settings">How it is watched.</param>
    /// <param name="loops">Its length in game loops.</param>
    /// <exception cref="GameException">Nothing of it is to be watched.</exception>
    public ReplayPlay(string replay, string match, ReplaySettings settings, uint loops)
    {
        (_replay, _match, _stepSize, _loops) = (replay, match, settings.StepSize, loops);
        _first = StepOf(settings.From ?? 0);
        _last = Math.Min(StepOf(loops), (settings.To ?? uint.MaxValue) / _stepSize);
        if (_first > _last)
        {
            throw new GameException(
                $"{replay} has no observations from game loop {settings.From ?? 0} to {settings.To ?? loops}: choose "
                + $"from 0 to {loops}.");
        }

        IsCut = _last < StepOf(loops);
        _clock = new PlaybackClock(settings.Rate.Hz, settings.IsHeld);
        (_at, Next, _jumped) = (_first, _first, _first > 0);
    }

    /// <summary>The step that comes next.</summary>
    public ulong Next { get; private set; }

    /// <summary>Whether the replay goes on behind what is watched of it.</summary>
    public bool IsCut { get; }

    /// <summary>Whether all that is watched was given, though the replay goes on.</summary>
    public bool IsPast => IsCut && Next > _last;

    /// <summary>When the next step is due; null while it is paused and only a request gives one.</summary>
    public long? DueNs(long nowNs) => _clock.DueNs(nowNs);

    /// <summary>
    /// The step that comes next is asked of the game now: it is <see cref="Next"/> before the call.
    /// </summary>
    /// <param name="nowNs">The time.</param>
    /// <returns>How it stands, where the step does not follow the last one; null where it does.</returns>
    public PlaybackState? Give(long nowNs)
    {
        _clock.Give(nowNs);
        _at = Next++;
        var jump = _jumped ? State() : null;
        _jumped = false;
        return jump;
    }

    /// <summary>Carries out a request.</summary>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT, FAILED_PRECONDITION: it cannot be so.</exception>
    public void Apply(ControlRequest request, long nowNs)
    {
        if (_clock.Apply(request, nowNs))
        {
            return;
        }

        switch (request.CommandCase)
        {
            case Command.Step:
                throw NotBack();
            case Command.SeekLoop:
                PlaybackClock.Check("game loop", request.SeekLoop, LoopOf(_first), LoopOf(_last));
                Move(StepOf(request.SeekLoop));
                break;
            case Command.SeekStep:
                PlaybackClock.Check("step", request.SeekStep, _first, _last);
                Move(request.SeekStep);
                break;
        }
    }

    /// <summary>The playback's state.</summary>
    public PlaybackState State() => new()
    {
        MatchId = _match,
        Paused = _clock.IsHeld,
        Step = _at,
        GameLoop = LoopOf(_at),
        Rate = _clock.Hz,
        FirstStep = _first,
        LastStep = _last,
        FirstGameLoop = LoopOf(_first),
        LastGameLoop = LoopOf(_last),
    };

    private void Move(ulong step)
    {
        if (step < Next)
        {
            throw NotBack();
        }

        _jumped |= step > Next;
        (_at, Next) = (step, step);
        _clock.Move();
    }

    // Steps are at whole multiples: the first that is not before the loop.
    private ulong StepOf(uint loop) => (loop + (ulong)_stepSize - 1) / _stepSize;

    private uint LoopOf(ulong step) => (uint)Math.Min(step * _stepSize, _loops);

    private RequestRefusedException NotBack() => new(
        StatusCode.FailedPrecondition,
        $"the game plays the replay {_replay}, and cannot take it back: record it first (sc2bridge record), and replay "
        + "the recording");
}
