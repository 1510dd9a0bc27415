namespace Sc2Bridge.Testing;

/// <summary>How many cases a test makes up: all of them with <c>tools/test --all</c>, otherwise a third, which takes less time.</summary>
public static class Cases
{
    /// <summary>One case is tried out of so many: 1 or 3. Both are odd, so a range is stepped through at even and odd places.</summary>
    public static int Every { get; } = Environment.GetEnvironmentVariable("SC2BRIDGE_TEST_CASES") == "all" ? 1 : 3;

    public static int Of(int all) => (all + Every - 1) / Every;
}
