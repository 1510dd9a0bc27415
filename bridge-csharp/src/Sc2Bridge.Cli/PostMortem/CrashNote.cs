namespace Sc2Bridge.Cli;

/// <summary>
/// Writes the exception that ends the bridge's process into a file, because the bridge cannot write a post-mortem then. The next command reads this file.
/// </summary>
internal sealed class CrashNote : IDisposable
{
    /// <summary>The name of the file in the output folder.</summary>
    internal const string FileName = "bridge.crash";

    private readonly string _path;

    /// <summary>Starts to listen for such an exception.</summary>
    internal CrashNote(string folder)
    {
        _path = Path.Combine(folder, FileName);
        AppDomain.CurrentDomain.UnhandledException += OnUnhandledException;
    }

    /// <summary>Reads the lines of a note. Null if it does not exist.</summary>
    internal static IReadOnlyList<string>? ReadFrom(string folder)
    {
        var path = Path.Combine(folder, FileName);
        return OutputPath.IsOwnFile(path) ? [.. File.ReadLines(path).Take(200)] : null;
    }

    /// <summary>Deletes the note after it was used.</summary>
    internal static void DeleteFrom(string folder)
    {
        var path = Path.Combine(folder, FileName);
        if (OutputPath.IsOwnFile(path))
        {
            File.Delete(path);
        }
    }

    public void Dispose() => AppDomain.CurrentDomain.UnhandledException -= OnUnhandledException;

    private void OnUnhandledException(object sender, UnhandledExceptionEventArgs ended)
    {
        try
        {
            using var file = OutputPath.OpenReplacement(_path);
            file.Write(System.Text.Encoding.UTF8.GetBytes($"{ended.ExceptionObject}"));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // The process ends in any case.
        }
    }
}
