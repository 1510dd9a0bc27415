namespace Sc2Bridge.Server.Tests;

/// <summary>Tests that measure the process's memory: no other test runs beside them.</summary>
[CollectionDefinition(nameof(MeasuredAlone), DisableParallelization = true)]
public sealed class MeasuredAlone;
