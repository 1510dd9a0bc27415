using System.CommandLine;
using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge run</c>: starts <c>python -m sc2bridge run</c>, which reads the arguments and runs an agent.</summary>
internal static class RunCommand
{
    /// <summary>Makes the entry in the list of commands. The program calls <see cref="RunAsync"/> before it parses arguments.</summary>
    internal static Command Create() => new("run", "Runs an agent in Python, for a bridge that runs already.");

    /// <summary>Runs the agent. On Linux and macOS, the interpreter replaces this process. So the agent gets all signals, and its exit code is returned.</summary>
    /// <param name="arguments">The arguments after <c>run</c>.</param>
    /// <exception cref="CommandException">The interpreter cannot be started.</exception>
    internal static async Task<int> RunAsync(IEnumerable<string> arguments)
    {
        var python = PythonInterpreter.Find(null);
        string[] words = ["-m", "sc2bridge", "run", .. arguments];
        if (!OperatingSystem.IsWindows())
        {
            nint[] pointers = [.. words.Prepend(python).Select(Marshal.StringToCoTaskMemUTF8), 0];
            _ = Execvp(pointers[0], pointers);
            throw CannotStart(Marshal.GetLastPInvokeErrorMessage());
        }

        // Ctrl-C reaches both processes. This program ignores it and ends after the agent.
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
            new($"cannot start Python as '{python}' ({why}): run 'python -m sc2bridge run' with another interpreter");
    }

    [DllImport("libc", EntryPoint = "execvp", ExactSpelling = true, SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Execvp(nint program, nint[] words);
}
