using Sc2Bridge.V1;
using Command = Sc2Bridge.V1.ControlRequest.CommandOneofCase;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Computes when the next step of a playback is due. The rate may change. While the playback is paused, only requested steps are
/// due. This class reads no time: times are parameters, in nanoseconds of <see cref="MonotonicClock"/>.
/// </summary>
public sealed class PlaybackClock
{
    // While the playback is paused, the number of requested steps that remain; otherwise null.
    private long? _allowedSteps;
    private StepSchedule? _schedule;
    private long? _dueNs;
    private long _lastStepNs;
    private bool _isNextAtOnce = true;

    /// <summary>Creates a clock before the first step.</summary>
    /// <param name="hz">Steps per second; 0 for no limit.</param>
    /// <param name="startsPaused">Whether the playback pauses after its first step.</param>
    public PlaybackClock(double hz, bool startsPaused)
    {
        Hz = hz;
        _allowedSteps = startsPaused ? 1 : null;
    }

    /// <summary>Steps per second; 0 for no limit.</summary>
    public double Hz { get; private set; }

    /// <summary>Whether the playback is paused.</summary>
    public bool IsPaused => _allowedSteps is not null;

    /// <summary>When the next step is due; null if the playback is paused and no step was requested.</summary>
    public long? DueNs(long nowNs)
    {
        if (_allowedSteps == 0)
        {
            return null;
        }

        // StepSchedule.Next advances the schedule, so its result is kept until the step is given.
        return _dueNs ??= _isNextAtOnce || _schedule is null ? nowNs : _schedule.Next(nowNs);
    }

    /// <summary>Records that a step was played.</summary>
    public void OnStepGiven(long nowNs)
    {
        _allowedSteps -= _allowedSteps > 0 ? 1 : 0;
        if (_isNextAtOnce)
        {
            _schedule = Hz == 0 ? null : new StepSchedule(Hz, nowNs);
        }

        (_isNextAtOnce, _dueNs, _lastStepNs) = (false, null, nowNs);
    }

    /// <summary>Pauses, and discards requested steps.</summary>
    public void Pause() => _allowedSteps = 0;

    /// <summary>Resumes. After a pause the next step is due at once.</summary>
    public void Resume()
    {
        if (IsPaused)
        {
            _allowedSteps = null;
            GiveNextAtOnce();
        }
    }

    /// <summary>Allows this many more steps and then pauses. After a pause, the first of these steps is due at once.</summary>
    public void AllowSteps(int steps)
    {
        if (_allowedSteps == 0)
        {
            GiveNextAtOnce();
        }

        _allowedSteps = (_allowedSteps ?? 0) + steps;
    }

    /// <summary>Called after a seek: the step at the new position is due at once, even while paused.</summary>
    public void OnSeek()
    {
        _allowedSteps = IsPaused ? 1 : null;
        GiveNextAtOnce();
    }

    /// <summary>Changes the rate. The next step is due one period after the last step, or now if that time has passed.</summary>
    public void SetRate(double hz, long nowNs)
    {
        Hz = hz;
        _schedule = hz == 0 ? null : new StepSchedule(hz, Math.Max(_lastStepNs, nowNs - (long)(1e9 / hz)));
        _dueNs = null;
    }

    /// <summary>
    /// Executes a request that changes only the timing: pause, resume, steps forward, rate. The playback itself handles
    /// seeks.
    /// </summary>
    /// <returns>Whether the request changes only the timing. If not, nothing was done.</returns>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: the rate is invalid, or the step is 0.</exception>
    public bool TryApply(ControlRequest request, long nowNs)
    {
        ArgumentNullException.ThrowIfNull(request);
        switch (request.CommandCase)
        {
            case Command.Pause when request.Pause:
                Pause();
                return true;
            case Command.Pause:
                Resume();
                return true;
            case Command.Step when request.Step > 0:
                AllowSteps(request.Step);
                return true;
            case Command.Step when request.Step == 0:
                throw Invalid("step 0 has no effect: use a positive number to step forward, or a negative one to step back");
            case Command.Rate:
                SetRate(CheckedRate(request.Rate), nowNs);
                return true;
            default:
                return false;
        }
    }

    /// <summary>Checks that the target of a seek is in the played range.</summary>
    /// <param name="what">The unit: step or game loop.</param>
    /// <param name="wanted">The target.</param>
    /// <param name="first">The first step or game loop that is played.</param>
    /// <param name="last">The last step or game loop that is played.</param>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: the target is outside the range.</exception>
    public static void CheckRange(string what, ulong wanted, ulong first, ulong last)
    {
        if (wanted < first || wanted > last)
        {
            throw Invalid($"{what} {wanted} is outside the played range: choose from {first} to {last}");
        }
    }

    private static double CheckedRate(double hz)
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

    private void GiveNextAtOnce() => (_isNextAtOnce, _dueNs) = (true, null);
}
