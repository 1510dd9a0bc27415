namespace Sc2Bridge.Native;

/// <summary>Several matches of one map or scenario. One call at a time.</summary>
internal sealed unsafe class VectorEnvironment : Handle
{
    private readonly EnvironmentSettings _settings;
    private readonly NativeMatch[] _matches;
    private readonly WorkerPool _pool;
    private readonly GameConstants _constants;
    private Buffers? _buffers;
    private bool _hasBegun;

    /// <summary>Creates the matches. Begins the first match once, to check the settings.</summary>
    /// <exception cref="Failure">The settings cannot be played.</exception>
    public VectorEnvironment(EnvironmentSettings settings)
    {
        _settings = settings;
        Layout = [settings.Matches, settings.RowCount, settings.Rows.Own, settings.ChoiceCount, UnitTable.FeatureCount, UnitTable.PlayerCount];
        _matches = [.. Enumerable.Range(0, settings.Matches).Select(_ => new NativeMatch(settings))];
        _constants = _matches[0].Begin(seed: 0, null);
        _pool = new WorkerPool(Math.Min(settings.Threads, settings.Matches));
    }

    /// <summary>The sizes, in the order of sc2bridge.h.</summary>
    public int[] Layout { get; }

    /// <summary>Sets the caller's buffers.</summary>
    public void Bind(ReadOnlySpan<Buffers.Part> parts) => _buffers = new Buffers(_settings, parts);

    /// <summary>Begins a new match in each chosen environment.</summary>
    /// <param name="seeds">A seed for each match.</param>
    /// <param name="chosen">0 for each match that continues; empty chooses all.</param>
    public void Reset(ReadOnlySpan<uint> seeds, ReadOnlySpan<byte> chosen)
    {
        var buffers = Ready();
        if (!_hasBegun && chosen.Contains((byte)0))
        {
            throw new Failure(Code.State, "the first reset must begin all matches: leave the mask out");
        }

        fixed (uint* seed = seeds)
        fixed (byte* isChosen = chosen)
        {
            var (from, which) = ((nint)seed, (nint)isChosen);
            Run(number =>
            {
                if (which == 0 || ((byte*)which)[number] != 0)
                {
                    _matches[number].Begin(((uint*)from)[number], _constants, buffers.Sines, buffers.Of(number));
                }
            });
        }

        _hasBegun = true;
    }

    /// <summary>Steps each match. A match that has ended begins again instead.</summary>
    /// <param name="actions">A number for each match and own row.</param>
    /// <param name="seeds">The seed for each match that begins.</param>
    public void Step(ReadOnlySpan<long> actions, ReadOnlySpan<uint> seeds)
    {
        var buffers = Ready();
        if (!_hasBegun)
        {
            throw new Failure(Code.State, "no match is running: call sc2bridge_reset first");
        }

        var own = _settings.Rows.Own;
        CheckActions(actions);
        fixed (long* action = actions)
        fixed (uint* seed = seeds)
        {
            var (chosen, from) = ((nint)action, (nint)seed);
            string? reason = null;
            Run(number =>
            {
                var match = _matches[number];
                try
                {
                    if (match.IsOver)
                    {
                        match.Begin(((uint*)from)[number], _constants, buffers.Sines, buffers.Of(number));
                    }
                    else
                    {
                        match.Step(new ReadOnlySpan<long>((long*)chosen + ((long)number * own), own), buffers.Sines, buffers.Of(number));
                    }
                }
#pragma warning disable CA1031 // The other matches continue.
                catch (Exception failure)
#pragma warning restore CA1031
                {
                    match.Fail(buffers.Of(number));
                    Interlocked.CompareExchange(ref reason, $"match {number}: {failure.GetType().Name}: {failure.Message}", null);
                }
            });
            if (reason is not null)
            {
                throw new Failure(Code.Match, reason);
            }
        }
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _pool.Dispose();
    }

    private void Run(Action<int> work)
    {
        try
        {
            _pool.Run(_matches.Length, work);
        }
        catch
        {
            _hasBegun = false; // Some matches are in the middle of a step.
            throw;
        }
    }

    // A wrong action changes nothing, so all are checked first.
    private void CheckActions(ReadOnlySpan<long> actions)
    {
        var own = _settings.Rows.Own;
        for (var at = 0; at < actions.Length; at++)
        {
            if ((actions[at] < 0 || actions[at] >= _settings.ChoiceCount) && !_matches[at / own].IsOver)
            {
                throw new Failure(
                    Code.Action, $"action {actions[at]} for unit {at % own} of match {at / own}: choose 0 to {_settings.ChoiceCount - 1}");
            }
        }
    }

    private Buffers Ready() => _buffers ?? throw new Failure(Code.State, "no buffers: call sc2bridge_bind first");
}
