namespace Sc2Bridge.Testing;

/// <summary>How many cases a test makes up: all of them with <c>tools/test --all</c>, otherwise a fifth, which takes less time.</summary>
public static class Cases
{
    /// <summary>One case is tried out of so many: 1 or 5. Both are odd, so a range is stepped through at even and odd places.</summary>
    public static int Every { get; } = Environment.GetEnvironmentVariable("SC2BRIDGE_TEST_CASES") == "all" ? 1 : 5;

    public static int Of(int all) => (all + Every - 1) / Every;
}
