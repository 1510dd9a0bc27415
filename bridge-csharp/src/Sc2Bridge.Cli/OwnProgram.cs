namespace Sc2Bridge.Cli;

/// <summary>This program, to be started once more.</summary>
internal static class OwnProgram
{
    /// <summary>The words that start it, before its arguments: by its own host, or by <c>dotnet</c>.</summary>
    internal static IReadOnlyList<string> Words { get; } =
        Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet"
            ? [Environment.ProcessPath!, Path.Combine(AppContext.BaseDirectory, "sc2bridge.dll")]
            : [Environment.ProcessPath!];
}
