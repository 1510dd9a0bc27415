namespace Sc2Bridge.Testing;

/// <summary>How many cases a test makes up: all of them with <c>tools/test --all</c>, otherwise a third, which takes less time.</summary>
public static class Cases
{
    private static readonly bool _all = Environment.GetEnvironmentVariable("SC2BRIDGE_TEST_CASES") == "all";

    public static int Of(int all) => _all ? all : (all + 2) / 3;
}
