namespace Sc2Bridge.Terminal;

/// <summary>This program, to be started once more.</summary>
public static class OwnProgram
{
    /// <summary>The words that start it, before its arguments: by its own host, or by <c>dotnet</c>.</summary>
    public static IReadOnlyList<string> Words { get; } =
        Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet"
            ? [Environment.ProcessPath!, Path.Combine(AppContext.BaseDirectory, AppDomain.CurrentDomain.FriendlyName + ".dll")]
            : [Environment.ProcessPath!];
}
