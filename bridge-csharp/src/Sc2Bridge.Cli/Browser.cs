using System.ComponentModel;
using System.Diagnostics;
using System.Net;

namespace Sc2Bridge.Cli;

/// <summary>The person's browser, opened at an address; where that fails the address is there to be opened by hand.</summary>
internal sealed class Browser : IDisposable
{
    private readonly string? _file;

    private Browser(string? file) => _file = file;

    /// <summary>Opens it, and does not wait for it.</summary>
    /// <param name="address">What to show.</param>
    /// <param name="folder">Where a file may be kept meanwhile.</param>
    /// <param name="say">Gets a line where it cannot be opened.</param>
    internal static Browser Open(string address, string folder, Action<string> say)
    {
        string? file = null;
        try
        {
            // Any program of the machine can read command lines: one with a token is read from a file instead.
            if (address.Contains('#', StringComparison.Ordinal))
            {
                file = Path.GetFullPath(Path.Combine(folder, $"page-{Path.GetRandomFileName()}.html"));
                WriteForMe(file, $"""<!doctype html><meta http-equiv="refresh" content="0;url={WebUtility.HtmlEncode(address)}">""");
            }

            // Null where a browser that runs was told.
            if (Process.Start(Start(file ?? address)) is { } process)
            {
                process.Exited += (_, _) =>
                {
                    if (process.ExitCode != 0)
                    {
                        say("--open: no browser could be opened here: open the address above in yours");
                    }

                    process.Dispose();
                };
                process.EnableRaisingEvents = true;
            }
        }
        catch (Exception problem) when (problem is Win32Exception or IOException or UnauthorizedAccessException)
        {
            say($"--open: no browser could be opened ({problem.Message}): open the address above in yours");
        }

        return new Browser(file);
    }

    /// <summary>Deletes what was kept; the browser stays.</summary>
    public void Dispose()
    {
        try
        {
            if (_file is not null)
            {
                File.Delete(_file);
            }
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            // Its token ends with this program.
        }
    }

    private static ProcessStartInfo Start(string what)
    {
        if (OperatingSystem.IsWindows())
        {
            return new ProcessStartInfo(what) { UseShellExecute = true };
        }

        // A browser writes to no terminal of ours, and a Ctrl-C there does not end it.
        string[] opener = OperatingSystem.IsMacOS() ? ["open"] : ["setsid", "xdg-open"];
        return new ProcessStartInfo("/bin/sh", ["-c", "exec \"$@\" </dev/null >/dev/null 2>&1", "sh", .. opener, what]);
    }

    private static void WriteForMe(string file, string text)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        using var writer = new StreamWriter(file, options);
        writer.Write(text);
    }
}
