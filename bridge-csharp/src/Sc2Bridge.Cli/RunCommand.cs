using System.CommandLine;
using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge run</c>: runs an agent, by <c>python -m sc2bridge run</c>, which also reads the arguments.</summary>
internal static class RunCommand
{
    /// <summary>For the list of commands: <see cref="RunAsync"/> is called before arguments are parsed.</summary>
    internal static Command Create() => new("run", "Runs an agent in Python, for a bridge that runs already.");

    /// <summary>On Linux and macOS the interpreter replaces this program, so that signals and the exit code are the agent's own.</summary>
    /// <param name="arguments">The words behind <c>run</c>.</param>
    /// <exception cref="CommandException">The interpreter cannot be started.</exception>
    internal static async Task<int> RunAsync(IEnumerable<string> arguments)
    {
        var python = PythonInterpreter.Find(null);
        string[] words = ["-m", "sc2bridge", "run", .. arguments];
        if (!OperatingSystem.IsWindows())
        {
            nint[] pointers = [.. words.Prepend(python).Select(Marshal.StringToCoTaskMemUTF8), 0];
            _ = Replace(pointers[0], pointers);
            throw CannotStart(Marshal.GetLastPInvokeErrorMessage());
        }

        // Ctrl-C reaches both: the agent ends by it, and then this program.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
        try
        {
            using var process = Process.Start(new ProcessStartInfo(python, words))!;
            await process.WaitForExitAsync();
            return process.ExitCode;
        }
        catch (Win32Exception error)
        {
            throw CannotStart(error.Message);
        }

        CommandException CannotStart(string why) =>
            new($"cannot start Python as '{python}' ({why}): run python -m sc2bridge run with another one");
    }

    [DllImport("libc", EntryPoint = "execvp", ExactSpelling = true, SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Replace(nint program, nint[] words);
}
