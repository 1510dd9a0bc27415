namespace Sc2Bridge.Server.Tests;

/// <summary>Tests that measure the process's memory. No other test runs at the same time.</summary>
[CollectionDefinition(nameof(MeasuredAlone), DisableParallelization = true)]
public sealed class MeasuredAlone;
