using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Server;

/// <summary>Functions of Unix sockets that .NET lacks. They check the user at the other end, and send a file descriptor.</summary>
internal static partial class PeerSocket
{
    // linux/socket.h
    private const int SocketLevel = 1;
    private const int PeerCredentials = 17;
    private const int Rights = 1;
    private const int NoSignal = 0x4000;

    /// <summary>Whether the program at the other end runs as the same user as this program, or as root.</summary>
    public static bool IsSameUser(Socket socket)
    {
        Span<byte> credentials = stackalloc byte[12];
        socket.GetRawSocketOption(SocketLevel, PeerCredentials, credentials);
        var user = MemoryMarshal.Cast<byte, uint>(credentials)[1];
        return user == 0 || user == EffectiveUser();
    }

    /// <summary>Sends bytes with a file. The other end gets its own descriptor of the file.</summary>
    /// <exception cref="PeerGoneException">The connection is lost.</exception>
    public static unsafe void SendFile(Socket socket, ReadOnlySpan<byte> bytes, SafeHandle file)
    {
        var isReferenced = false;
        file.DangerousAddRef(ref isReferenced);
        try
        {
            var control = new FileControl
            {
                Length = (nuint)(sizeof(nuint) + (3 * sizeof(int))),
                Level = SocketLevel,
                Type = Rights,
                File = (int)file.DangerousGetHandle(),
            };
            fixed (byte* start = bytes)
            {
                var vector = new Vector { Start = (nint)start, Length = (nuint)bytes.Length };
                var message = new Message
                {
                    Vectors = (nint)(&vector),
                    VectorCount = 1,
                    Control = (nint)(&control),
                    ControlLength = (nuint)sizeof(FileControl),
                };
                if (Send(socket.SafeHandle, &message, NoSignal) != bytes.Length)
                {
                    throw new PeerGoneException(new Win32Exception(Marshal.GetLastPInvokeError()));
                }
            }
        }
        finally
        {
            if (isReferenced)
            {
                file.DangerousRelease();
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "geteuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial uint EffectiveUser();

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static unsafe partial nint Send(SafeHandle socket, Message* message, int flags);

    // struct iovec, msghdr and cmsghdr of 64-bit Linux.
    [StructLayout(LayoutKind.Sequential)]
    private struct Vector
    {
        public nint Start;
        public nuint Length;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Message
    {
        public nint Name;
        public uint NameLength;
        public nint Vectors;
        public nuint VectorCount;
        public nint Control;
        public nuint ControlLength;
        public int Flags;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct FileControl
    {
        public nuint Length;
        public int Level;
        public int Type;
        public int File;
        private readonly int _padding;
    }
}
