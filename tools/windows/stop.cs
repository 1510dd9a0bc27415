#:property TargetFramework=net10.0
#:property PublishAot=false
#:property InvariantGlobalization=true
// Tests on Windows that Ctrl-C, or closing the window, ends all processes that a command has started:
//
//   dotnet run tools/windows/stop.cs -- ctrl-c|close PROCESSES LOG TEXT COMMAND
//
// cmd runs the command line COMMAND in its own console window. When PROCESSES processes run and the file LOG contains TEXT, this
// program presses Ctrl-C in that window, or closes it. It fails if one of the processes still runs after a minute.

using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

const int BasicAccounting = 1;
const uint CtrlC = 0, WmClose = 0x10;
if (args is not [("ctrl-c" or "close") and var how, var processes, var log, var text, var command])
{
    Console.Error.WriteLine("usage: stop ctrl-c|close PROCESSES LOG TEXT COMMAND");
    return 2;
}

// The job contains this process, each process that it starts, and each process that those start.
var job = CreateJobObject(0, null);
Check(AssignProcessToJobObject(job, Process.GetCurrentProcess().Handle));

// A child process inherits whether Ctrl-C is ignored, so it must not be ignored here.
Check(SetConsoleCtrlHandler(0, false));
using var cmd = Process.Start(new ProcessStartInfo("cmd.exe", $"/d /c \"{command}\"") { UseShellExecute = true })!;
if (!Becomes(120, () => Running() >= int.Parse(processes) && Log().Contains(text, StringComparison.Ordinal)))
{
    return Fail($"expected {processes} processes and the text '{text}' within 120 s, found {Running()} processes");
}

Console.WriteLine($"{how}: {Running()} processes run");
FreeConsole();
Check(AttachConsole(cmd.Id));
var window = GetConsoleWindow();
if (how == "ctrl-c")
{
    Check(SetConsoleCtrlHandler(0, true));
    Check(GenerateConsoleCtrlEvent(CtrlC, 0));
}

// Leaves the console window, because a process that is attached to the window ends with it.
FreeConsole();
if (how == "close")
{
    Check(PostMessage(window, WmClose, 0, 0));
}

var began = Stopwatch.StartNew();
if (!Becomes(60, () => Running() == 0))
{
    return Fail($"{Running()} processes still run a minute after {how}");
}

Console.WriteLine($"{how}: all have ended after {began.Elapsed.TotalSeconds:0.0} s, exit code {cmd.ExitCode}");
return 0;

bool Becomes(int seconds, Func<bool> condition)
{
    for (var waited = Stopwatch.StartNew(); waited.Elapsed.TotalSeconds < seconds; Thread.Sleep(50))
    {
        if (condition())
        {
            return true;
        }
    }

    return false;
}

// The number of running processes in the job, without this process.
uint Running()
{
    Check(QueryInformationJobObject(job, BasicAccounting, out var accounting, Marshal.SizeOf<Accounting>(), 0));
    return accounting.ActiveProcesses - 1;
}

string Log()
{
    try
    {
        using var file = new StreamReader(new FileStream(log, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        return file.ReadToEnd();
    }
    catch (IOException)
    {
        return ""; // The file does not exist yet.
    }
}

int Fail(string why)
{
    Console.Error.WriteLine($"stop: {why}:\n{Log()}");
    return 1;
}

static void Check(bool succeeded)
{
    if (!succeeded)
    {
        throw new Win32Exception();
    }
}

[DllImport("kernel32", EntryPoint = "CreateJobObjectW", SetLastError = true)]
static extern nint CreateJobObject(nint attributes, [MarshalAs(UnmanagedType.LPWStr)] string? name);

[DllImport("kernel32", SetLastError = true)]
static extern bool AssignProcessToJobObject(nint job, nint process);

[DllImport("kernel32", SetLastError = true)]
static extern bool QueryInformationJobObject(nint job, int kind, out Accounting accounting, int size, nint returned);

[DllImport("kernel32", SetLastError = true)]
static extern bool SetConsoleCtrlHandler(nint handler, bool add);

[DllImport("kernel32", SetLastError = true)]
static extern bool GenerateConsoleCtrlEvent(uint kind, uint group);

[DllImport("kernel32", SetLastError = true)]
static extern bool AttachConsole(int process);

[DllImport("kernel32")]
static extern bool FreeConsole();

[DllImport("kernel32")]
static extern nint GetConsoleWindow();

[DllImport("user32", EntryPoint = "PostMessageW", SetLastError = true)]
static extern bool PostMessage(nint window, uint message, nint first, nint second);

[StructLayout(LayoutKind.Sequential)]
internal struct Accounting
{
    public long UserTime, KernelTime, PeriodUserTime, PeriodKernelTime;
    public uint PageFaults, Processes, ActiveProcesses, Terminated;
}
