namespace Sc2Bridge.Terminal;

/// <summary>The words that start this program.</summary>
public static class OwnProgram
{
    /// <summary>The words to start another process of this program: its executable, or <c>dotnet</c> and its assembly.</summary>
    public static IReadOnlyList<string> CommandWords { get; } =
        Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet"
            ? [Environment.ProcessPath!, Path.Combine(AppContext.BaseDirectory, AppDomain.CurrentDomain.FriendlyName + ".dll")]
            : [Environment.ProcessPath!];

    /// <summary>The word that the user types to start this program. The launcher of a clone passes its own name.</summary>
    public static string TypedName { get; } = ShellWord.Quote(
        Environment.GetEnvironmentVariable("SC2BRIDGE_STARTED_AS") is { Length: > 0 } word ? word : "sc2bridge");
}
