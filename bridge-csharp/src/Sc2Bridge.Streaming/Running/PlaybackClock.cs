using Sc2Bridge.V1;
using Command = Sc2Bridge.V1.ControlRequest.CommandOneofCase;

namespace Sc2Bridge.Streaming;

/// <summary>
/// When a playback gives its next step: at a rate that may change, and while it is paused only as many as were asked
/// for. Plain state, no clock: times are nanoseconds of <see cref="MonotonicClock"/>.
/// </summary>
public sealed class PlaybackClock
{
    // While it is paused: the steps that it may still give.
    private long? _allowed;
    private StepSchedule? _schedule;
    private long? _dueNs;
    private long _lastNs;
    private bool _atOnce = true;

    /// <summary>A clock that has given no step yet.</summary>
    /// <param name="hz">Steps a second; 0 for as fast as it goes.</param>
    /// <param name="isHeld">It gives one step and pauses there.</param>
    public PlaybackClock(double hz, bool isHeld)
    {
        Hz = hz;
        _allowed = isHeld ? 1 : null;
    }

    /// <summary>Steps a second; 0 for as fast as it goes.</summary>
    public double Hz { get; private set; }

    /// <summary>Whether it is paused.</summary>
    public bool IsHeld => _allowed is not null;

    /// <summary>When the next step is due; null while it is paused and only a request gives one.</summary>
    public long? DueNs(long nowNs)
    {
        if (_allowed == 0)
        {
            return null;
        }

        // Next advances the schedule: called once a step.
        return _dueNs ??= _atOnce || _schedule is null ? nowNs : _schedule.Next(nowNs);
    }

    /// <summary>A step is given.</summary>
    public void Give(long nowNs)
    {
        _allowed -= _allowed > 0 ? 1 : 0;
        if (_atOnce)
        {
            _schedule = Hz == 0 ? null : new StepSchedule(Hz, nowNs);
        }

        (_atOnce, _dueNs, _lastNs) = (false, null, nowNs);
    }

    /// <summary>Pauses, and forgets the steps that were asked for.</summary>
    public void Hold() => _allowed = 0;

    /// <summary>Goes on; after a pause the next step is due at once.</summary>
    public void GoOn()
    {
        if (IsHeld)
        {
            _allowed = null;
            GiveAtOnce();
        }
    }

    /// <summary>Gives so many more steps and pauses; after a pause the first is due at once.</summary>
    public void Allow(int steps)
    {
        if (_allowed == 0)
        {
            GiveAtOnce();
        }

        _allowed = (_allowed ?? 0) + steps;
    }

    /// <summary>It was moved: the step there is due at once, also while it is paused.</summary>
    public void Move()
    {
        _allowed = IsHeld ? 1 : null;
        GiveAtOnce();
    }

    /// <summary>Changes the rate; the next step is due a period after the last, or now where that is over.</summary>
    public void SetRate(double hz, long nowNs)
    {
        Hz = hz;
        _schedule = hz == 0 ? null : new StepSchedule(hz, Math.Max(_lastNs, nowNs - (long)(1e9 / hz)));
        _dueNs = null;
    }

    /// <summary>
    /// Carries out a request that concerns time alone: pause, go on, steps ahead, the rate. Moves are left to the
    /// playback.
    /// </summary>
    /// <returns>Whether it was such a request.</returns>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: no such rate, or a step of 0.</exception>
    public bool Apply(ControlRequest request, long nowNs)
    {
        ArgumentNullException.ThrowIfNull(request);
        switch (request.CommandCase)
        {
            case Command.Pause when request.Pause:
                Hold();
                return true;
            case Command.Pause:
                GoOn();
                return true;
            case Command.Step when request.Step > 0:
                Allow(request.Step);
                return true;
            case Command.Step when request.Step == 0:
                throw Invalid("step 0 goes nowhere: give how many to go on, or back where it is negative");
            case Command.Rate:
                SetRate(Checked(request.Rate), nowNs);
                return true;
            default:
                return false;
        }
    }

    /// <summary>Refuses a move to what is not played.</summary>
    /// <param name="what">What is counted: step, game loop.</param>
    /// <param name="wanted">Where to.</param>
    /// <param name="first">The first that is played.</param>
    /// <param name="last">The last.</param>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: it is before the first or behind the last.</exception>
    public static void Check(string what, ulong wanted, ulong first, ulong last)
    {
        if (wanted < first || wanted > last)
        {
            throw Invalid($"{what} {wanted} is not in what is played: choose from {first} to {last}");
        }
    }

    private static double Checked(double hz)
    {
        try
        {
            return hz == 0 ? 0 : StepRate.At(hz).Hz;
        }
        catch (GameException impossible)
        {
            throw Invalid(impossible.Message);
        }
    }

    private static RequestRefusedException Invalid(string message) => new(StatusCode.InvalidArgument, message);

    private void GiveAtOnce() => (_atOnce, _dueNs) = (true, null);
}
