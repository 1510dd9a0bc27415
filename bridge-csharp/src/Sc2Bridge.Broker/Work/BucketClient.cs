using System.Net;
using Amazon.Runtime;
using Amazon.S3;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// The connection to an S3-compatible store. The URL and the credentials come from the environment variables of the AWS tools.
/// Errors of the store are <see cref="ResultStoreException"/>s with the remedy.
/// </summary>
internal sealed class BucketClient : IDisposable
{
    private static readonly TimeSpan _longestConnect = TimeSpan.FromSeconds(5);

    private readonly string _name;
    private readonly string? _endpoint;
    private readonly Lazy<AmazonS3Client> _client;

    /// <summary>Makes a client, which connects when the first request is sent.</summary>
    /// <param name="name">The bucket's address, for messages.</param>
    /// <param name="endpoint">The store's URL; null to use the environment variables.</param>
    /// <param name="credentials">The credentials; null to use the environment variables.</param>
    internal BucketClient(string name, string? endpoint, AWSCredentials? credentials)
    {
        (_name, _endpoint) = (name, endpoint ?? Variable("AWS_ENDPOINT_URL_S3") ?? Variable("AWS_ENDPOINT_URL"));
        _client = new Lazy<AmazonS3Client>(() => Connect(credentials));
    }

    /// <summary>The bucket's address and the endpoint's host and port, without user and password.</summary>
    public override string ToString() =>
        _name + (Uri.TryCreate(_endpoint, UriKind.Absolute, out var url) ? $" at {url.Host}:{url.Port}" : "");

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_client.IsValueCreated)
        {
            _client.Value.Dispose();
        }
    }

    /// <summary>Sends a request and waits for the answer.</summary>
    /// <param name="timeLimit">The time limit for the request and its retries.</param>
    /// <param name="send">Sends the request.</param>
    /// <param name="ct">Cancels the request.</param>
    /// <param name="silence">Cancelled if an upload makes no progress. The cancellation ends the request.</param>
    /// <exception cref="ResultStoreException">The store refuses the request, or does not answer.</exception>
    /// <exception cref="IOException">The file is too large, or its name is too long.</exception>
    internal async Task<T> SendAsync<T>(
        TimeSpan timeLimit, Func<AmazonS3Client, CancellationToken, Task<T>> send, CancellationToken ct,
        CancellationToken silence = default)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(ct, silence);
        timeout.CancelAfter(timeLimit);
        try
        {
            return await send(_client.Value, timeout.Token);
        }
        catch (AmazonS3Exception failure) when (failure.ErrorCode is "EntityTooLarge" or "KeyTooLongError")
        {
            // Another try would fail too, so this is a failure of the job and not of the store.
            throw new IOException($"{this} does not accept a file of this size, or a name of this length ({failure.ErrorCode})", failure);
        }
        catch (Exception failure) when (failure
            is AmazonServiceException or AmazonClientException or HttpRequestException or IOException or TimeoutException
            or OperationCanceledException)
        {
            ct.ThrowIfCancellationRequested();
            throw new ResultStoreException($"{this} {Explain(failure)}", failure);
        }
    }

    private AmazonS3Client Connect(AWSCredentials? credentials)
    {
        var settings = new AmazonS3Config
        {
            ConnectTimeout = _longestConnect,
            Timeout = Timeout.InfiniteTimeSpan,

            // Stores of other vendors do not support all of Amazon's checksums.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
        };
        if (_endpoint is not null)
        {
            if (!Uri.TryCreate(_endpoint, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            {
                throw new ResultStoreException(
                    $"{this} cannot be reached: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is not a valid URL: write https://HOST or https://HOST:PORT");
            }

            // Self-hosted stores usually have neither a host name for each bucket nor regions.
            settings.ServiceURL = _endpoint;
            settings.ForcePathStyle = true;
            settings.AuthenticationRegion = Variable("AWS_REGION") ?? Variable("AWS_DEFAULT_REGION") ?? "us-east-1";
        }

        return credentials is null ? new AmazonS3Client(settings) : new AmazonS3Client(credentials, settings);
    }

    // Codes: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. The library's messages may repeat secrets, so only codes are used.
    private static string Explain(Exception failure) => failure switch
    {
        AmazonS3Exception { ErrorCode: "NoSuchBucket" } => "does not exist: create the bucket, or name another one",
        AmazonS3Exception { ErrorCode: "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" } refused =>
            $"is in another region ({refused.ErrorCode}): set AWS_REGION to the region of the bucket",
        AmazonS3Exception { StatusCode: HttpStatusCode.Forbidden or HttpStatusCode.Unauthorized } refused =>
            $"does not let you in ({refused.ErrorCode}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of a user with permission to list, read, "
            + "write and delete there",
        AmazonS3Exception { ErrorCode: "NotImplemented" } =>
            "does not support If-None-Match, which keeps one result for each job (NotImplemented): name another store",
        AmazonS3Exception { ErrorCode.Length: > 0 } refused => $"refuses the request ({refused.ErrorCode}): see the store's log",
        AmazonClientException => "cannot be reached: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION or, for a store that "
            + "is not Amazon's, AWS_ENDPOINT_URL_S3",
        _ => $"does not answer ({BrokerAddress.InnermostMessage(failure)}): check that it runs, and that AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL and "
            + "AWS_REGION name it",
    };

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
