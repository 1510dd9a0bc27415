using System.ComponentModel;
using System.Diagnostics;
using System.Net;

namespace Sc2Bridge.Cli;

/// <summary>Opens an address in the user's browser. If that fails, asks the user to open the address, which was printed before.</summary>
internal sealed class Browser : IDisposable
{
    private readonly string? _file;

    private Browser(string? file) => _file = file;

    /// <summary>Opens an address in a browser, and does not wait for the browser.</summary>
    /// <param name="address">The address to open.</param>
    /// <param name="folder">A folder for a temporary file.</param>
    /// <param name="print">Prints a line if the browser cannot be opened.</param>
    internal static Browser Open(string address, string folder, Action<string> print)
    {
        string? file = null;
        try
        {
            // Other programs can read command lines. An address with a token is therefore passed in a file.
            if (address.Contains('#', StringComparison.Ordinal))
            {
                file = Path.GetFullPath(Path.Combine(folder, $"page-{Path.GetRandomFileName()}.html"));
                WritePrivate(file, $"""<!doctype html><meta http-equiv="refresh" content="0;url={WebUtility.HtmlEncode(address)}">""");
            }

            // Start returns null if a browser that already runs opens the address.
            if (Process.Start(CreateStartInfo(file ?? address)) is { } process)
            {
                process.Exited += (_, _) =>
                {
                    if (process.ExitCode != 0)
                    {
                        print("--open: no browser could be opened here: open the address above in a browser");
                    }

                    process.Dispose();
                };
                process.EnableRaisingEvents = true;
            }
        }
        catch (Exception problem) when (problem is Win32Exception or IOException or UnauthorizedAccessException)
        {
            print($"--open: no browser could be opened ({problem.Message}): open the address above in a browser");
        }

        return new Browser(file);
    }

    /// <summary>Deletes the temporary file. The browser stays open.</summary>
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
            // The token in the file is useless after this program has ended.
        }
    }

    private static ProcessStartInfo CreateStartInfo(string target)
    {
        if (OperatingSystem.IsWindows())
        {
            return new ProcessStartInfo(target) { UseShellExecute = true };
        }

        // With this command line, the browser does not write to this terminal, and Ctrl-C in this terminal does not end the browser.
        string[] opener = OperatingSystem.IsMacOS() ? ["open"] : ["setsid", "xdg-open"];
        return new ProcessStartInfo("/bin/sh", ["-c", "exec \"$@\" </dev/null >/dev/null 2>&1", "sh", .. opener, target]);
    }

    private static void WritePrivate(string file, string text)
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
