namespace Sc2Bridge.Terminal;

/// <summary>This program, to be started once more.</summary>
public static class OwnProgram
{
    /// <summary>The words that start it, before its arguments: by its own host, or by <c>dotnet</c>.</summary>
    public static IReadOnlyList<string> Words { get; } =
        Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet"
            ? [Environment.ProcessPath!, Path.Combine(AppContext.BaseDirectory, AppDomain.CurrentDomain.FriendlyName + ".dll")]
            : [Environment.ProcessPath!];

    /// <summary>The word that the user typed to start it. A clone's launcher passes its own.</summary>
    public static string Typed { get; } = ShellWord.Of(
        Environment.GetEnvironmentVariable("SC2BRIDGE_STARTED_AS") is { Length: > 0 } word ? word : "sc2bridge");
}
